package io.github.gramian.studio.project.internal;

import io.github.gramian.cli.common.Failure;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.internal.NamePattern;
import io.github.gramian.dataset.layout.internal.LabelHistory;
import io.github.gramian.feature.internal.FeatureExtraction;
import io.github.gramian.label.internal.LabelSession;
import io.github.gramian.label.internal.LabelsFile;
import io.github.gramian.label.internal.ReducedDescriptors;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Photographs that are being labelled. Results are maps and lists, as JSON has them. For several threads at once. */
public final class Project implements AutoCloseable {

    private final StudioSettings settings;
    private final Photographs photographs;
    private final LabelBook book;
    private final TrainingJob training;
    private final List<String> notes = new ArrayList<>();
    private String phase = "features";
    private String message = "";
    private long done;
    private long total;
    private double compared;
    private long changes;
    private int unreadable;
    private List<String> problems = List.of();
    private int[] rows = new int[0];
    private @Nullable LabelSession session;
    private @Nullable Guidance guidance;

    private Project(StudioSettings settings, Photographs photographs, LabelsFile file, List<String> notes) {
        this.settings = settings;
        this.photographs = photographs;
        this.book = new LabelBook(photographs, file);
        this.training = new TrainingJob(settings, photographs);
        this.notes.addAll(notes);
        file.note().ifPresent(this.notes::add);
    }

    /** Describes photographs by short vectors. */
    @FunctionalInterface
    public interface Describer {

        /**
         * Computes, or reads what was computed before.
         *
         * @param cache directory for features
         * @param listener receives the progress of the features
         * @param compared receives the progress after that
         */
        ReducedDescriptors describe(
                Dataset dataset,
                Recipe recipe,
                Path cache,
                TrainingListener listener,
                FeatureExtraction.Progress compared)
                throws IOException;
    }

    /** Lists the photographs, opens the labels file, and starts to compute features on a thread. */
    public static Project open(StudioSettings settings) throws IOException {
        return open(settings, ReducedDescriptors::of);
    }

    /** The same with descriptors of another origin. */
    public static Project open(StudioSettings settings, Describer describer) throws IOException {
        List<String> notes = new ArrayList<>();
        Path base = settings.labels().resolveSibling("");
        Photographs photographs = Photographs.in(settings.photographs(), base, notes::add);
        settings.complete(); // a mistake in the recipe is reported at once
        LabelsFile file = LabelsFile.open(settings.labels(), settings.by(), Clock.systemUTC());
        Project project = new Project(settings, photographs, file, notes);
        Thread thread = new Thread(() -> project.prepare(describer), "studio-features");
        thread.setDaemon(true);
        thread.start();
        return project;
    }

    public Photographs photographs() {
        return photographs;
    }

    /** Their small copies. */
    public Pictures pictures() {
        return new Pictures(photographs, settings.cache().resolve("thumbnails"));
    }

    public TrainingJob training() {
        return training;
    }

    private void prepare(Describer describer) {
        try {
            Map<Path, String> all = new HashMap<>();
            photographs.files().forEach(file -> all.put(file, "photograph"));
            Recipe recipe = settings.complete();
            Dataset dataset = Dataset.of(all, recipe.seed());
            ReducedDescriptors found = describer.describe(
                    dataset,
                    recipe,
                    settings.cache().resolve("features"),
                    event -> {
                        if (event instanceof TrainingEvent.Features features) {
                            progress(features.done(), features.total());
                        }
                    },
                    this::compared);
            start(found.samples().stream().map(dataset::file).toList(), found.values());
        } catch (Throwable failure) { // an Error, too, must not leave the page waiting
            fail(failure);
        }
    }

    private synchronized void progress(long nowDone, long nowTotal) {
        done = nowDone;
        total = nowTotal;
    }

    private synchronized void compared(long steps, long all) {
        compared = Math.max(compared, (double) steps / all);
    }

    private synchronized void fail(Throwable failure) {
        phase = "failed";
        message = Failure.of(failure).line();
    }

    private void start(List<Path> files, float[][] descriptors) {
        int[] found = photographs.places(files);
        int[] numbers = new int[files.size()];
        for (int i = 0; i < found.length; i++) {
            if (found[i] >= 0) {
                numbers[found[i]] = i;
            }
        }
        LabelSession opened = LabelSession.of(
                descriptors,
                groups(
                        IntStream.of(numbers).mapToObj(photographs::path).toList(),
                        book.groups(),
                        settings.complete().data().groups()),
                new Seed(settings.complete().seed()));
        Guidance guide = new Guidance(opened, found, numbers, book, this);
        LabelHistory history = LabelHistory.read(settings.labels());
        guide.replay(history.chronological(), classes(opened), photographs::number);
        List<String> why = pictures().problems(found);
        synchronized (this) {
            rows = found;
            unreadable = photographs.count() - files.size();
            problems = why;
            for (int i = 0; i < rows.length; i++) {
                tell(opened, i);
            }
            session = opened;
            guidance = guide;
            phase = "ready";
        }
    }

    /**
     * Numbers of the objects that photographs show: by the labels file, or by a pattern of their paths. A photograph that stands
     * alone has its own.
     *
     * @param given path → name of its group, empty for none
     * @param pattern regular expression whose first capture group names the object, or null
     */
    static int[] groups(List<String> paths, Map<String, String> given, @Nullable String pattern) {
        Optional<NamePattern> named = Optional.ofNullable(pattern).map(NamePattern::of);
        Map<String, Integer> numbers = new HashMap<>();
        int[] found = new int[paths.size()];
        for (int i = 0; i < found.length; i++) {
            String path = paths.get(i);
            String group = given.getOrDefault(path, "");
            String name =
                    group.isEmpty() ? named.flatMap(names -> names.find(path)).orElse("\0" + path) : group;
            Integer known = numbers.putIfAbsent(name, numbers.size());
            found[i] = known == null ? numbers.size() - 1 : known;
        }
        return found;
    }

    /** The book's classes, which the session then has as well. */
    private synchronized List<String> classes(LabelSession to) {
        while (to.classes() < book.classes().size()) {
            to.addClass();
        }
        return book.classes();
    }

    /** Brings the session's label of a photograph in step with the book. */
    private void tell(LabelSession to, int photograph) {
        classes(to);
        if (rows[photograph] >= 0) {
            if (book.label(photograph) == LabelBook.NONE) {
                to.unlabel(rows[photograph]);
            } else {
                to.label(rows[photograph], book.label(photograph));
            }
        }
    }

    /** What the labels so far say about the photographs; once features are computed. */
    public synchronized Guidance guidance() {
        Guidance opened = guidance;
        if (opened == null) {
            throw new NotReadyException();
        }
        return opened;
    }

    /** What the page shows all the time. */
    public synchronized Map<String, Object> state() {
        Map<String, Object> state = new LinkedHashMap<>();
        state.put("phase", phase);
        state.put("message", message);
        state.put("done", done);
        state.put("total", total);
        state.put("photographs", photographs.count());
        state.put("compared", compared);
        state.put("changes", changes);
        state.put("unreadable", unreadable);
        state.put("problems", problems);
        state.put("notes", List.copyOf(notes));
        state.put("labelsFile", settings.labels().toString());
        state.put("out", settings.out().toString());
        state.put("canUndo", book.canUndo());
        int[] counts = book.counts();
        List<String> names = book.classes();
        state.put(
                "classes",
                IntStream.range(0, counts.length)
                        .mapToObj(c -> Map.of("name", names.get(c), "count", counts[c]))
                        .toList());
        state.put("labelled", IntStream.of(counts).sum());
        state.put("training", training.state());
        return state;
    }

    /** Paths and labels of all photographs. */
    public synchronized Map<String, Object> all() {
        return Map.of(
                "changes",
                changes,
                "paths",
                photographs.paths(),
                "labels",
                IntStream.of(book.labels()).boxed().toList(),
                "classes",
                book.classes());
    }

    /** Labels photographs, or removes their labels; on the disk when this returns. */
    public synchronized Map<String, Object> label(List<Integer> images, String label) throws IOException {
        for (int image : images) {
            photographs.path(image);
        }
        book.put(images, label);
        follow(images);
        return changed(images);
    }

    /** Takes the latest change back. */
    public synchronized Map<String, Object> undo() throws IOException {
        List<Integer> images = book.undo();
        follow(images);
        return changed(images);
    }

    private void follow(List<Integer> images) {
        changes++;
        LabelSession opened = session;
        if (opened != null) {
            images.forEach(image -> tell(opened, image));
        }
    }

    private Map<String, Object> changed(List<Integer> images) {
        return Map.of(
                "images", images,
                "labels", images.stream().map(book::label).toList(),
                "state", state());
    }

    /** Predicts all photographs without a label. */
    public synchronized void predict(boolean folders) {
        List<Integer> open = IntStream.range(0, photographs.count())
                .filter(image -> book.label(image) == LabelBook.NONE)
                .boxed()
                .toList();
        training.predict(open, folders);
    }

    @Override
    public void close() throws IOException {
        training.close();
        synchronized (this) {
            if (session != null) {
                session.close();
            }
            book.close();
        }
    }

    /** Features are still being computed, or could not be. */
    public static final class NotReadyException extends RuntimeException {

        private static final long serialVersionUID = 1;

        NotReadyException() {
            super("features are not computed yet; labels can be given already");
        }
    }
}
