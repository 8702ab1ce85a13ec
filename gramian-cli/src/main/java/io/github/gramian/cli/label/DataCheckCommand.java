package io.github.gramian.cli.label;

import static java.util.Map.entry;

import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.Progress;
import io.github.gramian.cli.model.PredictionFormat;
import io.github.gramian.cli.report.GalleryPage;
import io.github.gramian.cli.report.GalleryPage.Card;
import io.github.gramian.cli.train.RecipeFileOptions;
import io.github.gramian.cli.train.SplitOptions;
import io.github.gramian.cli.train.TrainingProgress;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.inspect.internal.Inspection;
import io.github.gramian.dataset.inspect.internal.Inspector;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.label.internal.LabelCheck;
import io.github.gramian.natives.internal.UserCache;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.internal.TrainingSuspects.Suspect;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code gramian data check}: wrong labels, copies, outliers, bad photographs, imbalance and leaks of a dataset. */
@Command(
        name = "check",
        description = {
            "Finds what is probably wrong with labelled photographs.",
            "Lists labels that are probably wrong, copies, outliers, blurred or dark photographs, unbalanced classes,"
                    + " and images that leak from training to test.",
            "A label is suspicious if a classifier that has not seen the image predicts another one.",
            "Reads all images, of every split. Never changes or moves a file."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian data check --images photos/ --backbone resnet50.safetensors --out check.html",
            "  gramian data check --images photos/ --backbone resnet50.safetensors --csv > suspects.csv"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class DataCheckCommand extends PrintingCommand {

    @Mixin
    private RecipeFileOptions options;

    @Option(names = "--out", description = "HTML page with thumbnails of what was found.")
    private @Nullable Path out;

    @Option(names = "--json", description = "Print everything as JSON.")
    private boolean json;

    @Option(names = "--csv", description = "Print the suspicious labels as CSV: file, given, suggested, score.")
    private boolean csv;

    @Mixin
    private SplitOptions splits;

    @Option(
            names = "--cache",
            description = "Directory of the feature cache (default: 'features' in the user's cache directory).")
    private @Nullable Path cache;

    @Option(names = "--threads", description = "Number of threads that decode images (default: one per core).")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Override
    public Integer call() throws IOException {
        if (json && csv) {
            throw new IllegalArgumentException("give --json or --csv, not both");
        }
        Recipe recipe = options.recipe(splits.settings());
        Path features = cache();
        Dataset dataset = recipe.data().open(new Seed(recipe.seed()));
        boolean silent = quiet || json || csv;
        Inspection inspection = inspect(dataset, silent);
        LabelCheck labels;
        try (TrainingProgress progress = new TrainingProgress(stderr(), silent)) {
            labels = LabelCheck.run(dataset, recipe, features, progress);
        }
        DataCheck check = new DataCheck(inspection, labels);
        if (out != null) {
            AtomicFile.writeText(out, new DataCheckPage(check).html());
        }
        print(json, check::toMap, writer -> print(check, writer));
        return 0;
    }

    private Path cache() throws IOException {
        if (cache != null) {
            return cache;
        }
        return UserCache.current()
                .gramian()
                .orElseThrow(() -> new IOException("the cache directory is unknown; give --cache"))
                .resolve("features");
    }

    private Inspection inspect(Dataset dataset, boolean silent) {
        Inspector inspector = new Inspector(ImageDecoder.forLocalFiles(), threads);
        try (Progress progress =
                new Progress("reading", "files", dataset.samples().size(), stderr(), silent)) {
            return inspector.inspect(dataset, (done, total) -> progress.done(done));
        }
    }

    private void print(DataCheck check, PrintWriter writer) {
        if (csv) {
            DataCheckText.printCsv(check, writer);
        } else {
            DataCheckText.print(check, writer);
            if (out != null) {
                writer.println();
                writer.println("page: " + out);
            }
        }
    }

    /** A check as text for people and as CSV for spreadsheets. */
    static final class DataCheckText {

        /** Longer lists are cut; the page, CSV and JSON have more. */
        private static final int SHOWN = 10;

        private DataCheckText() {}

        static void print(DataCheck check, PrintWriter out) {
            out.println(Text.format(
                    "%s of %s; %s of the labels are predicted without the image itself",
                    Numbers.count(check.dataset().samples().size(), "image"),
                    Numbers.count(check.dataset().classes().size(), "class"),
                    Numbers.percent(check.labels().accuracy())));
            section(
                    out,
                    "suspicious labels",
                    check.labels().suspects(),
                    suspect -> Text.format(
                            "%s  is labelled %s, looks like %s (%.2f)",
                            suspect.file(), suspect.given(), suspect.suggested(), suspect.score()));
            section(
                    out,
                    "duplicates",
                    check.duplicates(),
                    duplicate -> String.join("  ", duplicate.files()) + "  " + duplicate.kind()
                            + (duplicate.classesDiffer() ? ", in different classes" : ""));
            section(
                    out,
                    "outliers",
                    check.labels().outliers(),
                    outlier ->
                            Text.format("%s  is labelled %s (%.1f)", outlier.file(), outlier.given(), outlier.score()));
            section(
                    out,
                    "poor photographs",
                    check.inspection().quality(),
                    quality -> quality.path() + "  " + quality.problem() + ": " + quality.detail());
            section(out, "broken files", check.inspection().broken(), broken -> broken.path() + "  " + broken.detail());
            section(
                    out,
                    "leaks from training to test",
                    check.leaks(),
                    leak -> String.join("  ", leak.files()) + "  " + leak.kind());
            imbalance(check, out);
        }

        private static void imbalance(DataCheck check, PrintWriter out) {
            List<DataCheck.ClassSize> sizes = check.sizes();
            DataCheck.ClassSize largest = sizes.get(0);
            DataCheck.ClassSize smallest = sizes.get(sizes.size() - 1);
            out.println();
            out.println(Text.format(
                    "balance: the largest class, %s, has %s; the smallest, %s, has %d",
                    largest.name(), Numbers.count(largest.images(), "image"), smallest.name(), smallest.images()));
            if (check.imbalance() >= DataCheck.IMBALANCE) {
                out.println("  " + DataCheck.BALANCE_ADVICE);
            }
        }

        private static <T> void section(PrintWriter out, String title, List<T> entries, Function<T, String> describe) {
            out.println();
            out.println(title + ": " + (entries.isEmpty() ? "none" : Numbers.count(entries.size())));
            entries.stream().limit(SHOWN).forEach(entry -> out.println("  " + describe.apply(entry)));
            if (entries.size() > SHOWN) {
                out.println("  … and " + Numbers.count(entries.size() - SHOWN) + " more; --json lists all");
            }
        }

        static void printCsv(DataCheck check, PrintWriter out) {
            out.println("file,given,suggested,score");
            for (Suspect suspect : check.labels().suspects()) {
                out.println(
                        PredictionFormat.quoted(suspect.file()) + "," + PredictionFormat.quoted(suspect.given()) + ","
                                + PredictionFormat.quoted(suspect.suggested()) + ","
                                + Text.format("%.4f", suspect.score()));
            }
        }
    }

    /** What a check has found, as a page with thumbnails. */
    static final class DataCheckPage {

        /** A thumbnail takes some 8 kB, so a page of all sections stays below 10 MB. */
        private static final int SHOWN = 200;

        private final DataCheck check;

        DataCheckPage(DataCheck check) {
            this.check = check;
        }

        String html() throws IOException {
            GalleryPage page = new GalleryPage(check.dataset().root(), "Data check", summary());
            section(
                    page,
                    "Suspicious labels",
                    "A classifier that was trained without the image predicts another label. The most suspicious images come first."
                            + " The number compares the probability of the suggested label with that of the given one.",
                    check.labels().suspects(),
                    suspect -> Stream.of(new Card(
                            suspect.file(),
                            suspect.suggested() + "?",
                            "is labelled " + suspect.given(),
                            Text.format("%.2f", suspect.score()))));
            section(
                    page,
                    "Duplicates",
                    "These photographs show the same. If copies have different labels, no model can learn them.",
                    check.duplicates(),
                    duplicate -> duplicate.files().stream()
                            .map(file -> new Card(
                                    file,
                                    duplicate.kind(),
                                    duplicate.classesDiffer() ? "in different classes" : "",
                                    "")));
            section(
                    page,
                    "Outliers",
                    "These photographs resemble no other. They may show something else, or a class that needs more examples. The"
                            + " number is the distance from the nearest images, in standard deviations above the median.",
                    check.labels().outliers(),
                    outlier -> Stream.of(new Card(
                            outlier.file(),
                            outlier.given(),
                            "resembles no other image",
                            Text.format("%.1f", outlier.score()))));
            section(
                    page,
                    "Poor photographs",
                    "These photographs are tiny, dark, overexposed, blank or much more blurred than the others.",
                    check.inspection().quality(),
                    quality -> Stream.of(new Card(quality.path(), quality.problem(), quality.detail(), "")));
            section(
                    page,
                    "Leaks from training to test",
                    "Training and test images show the same. The test accuracy will be too high.",
                    check.leaks(),
                    leak -> leak.files().stream().map(file -> new Card(file, leak.kind(), "", "")));
            return page.html();
        }

        private String summary() {
            List<DataCheck.ClassSize> sizes = check.sizes();
            DataCheck.ClassSize largest = sizes.get(0);
            DataCheck.ClassSize smallest = sizes.get(sizes.size() - 1);
            return Numbers.count(check.dataset().samples().size(), "image") + ". "
                    + Numbers.percent(check.labels().accuracy())
                    + " of the labels are predicted without the image itself. The largest class, " + largest.name()
                    + ", has "
                    + Numbers.count(largest.images(), "image") + "; the smallest, " + smallest.name() + ", has "
                    + Numbers.count(smallest.images()) + ". "
                    + Numbers.count(check.inspection().broken().size(), "file")
                    + " cannot be read.";
        }

        private static <T> void section(
                GalleryPage page, String heading, String reading, List<T> entries, Function<T, Stream<Card>> cards) {
            page.section(
                    heading,
                    reading,
                    entries.stream().limit(SHOWN).flatMap(cards).limit(SHOWN).toList(),
                    entries.size());
        }
    }

    /** Everything that a check has found, under the names that its outputs use. */
    record DataCheck(Inspection inspection, LabelCheck labels) {

        /** Photographs that show the same. */
        record Duplicate(String kind, List<String> files, boolean classesDiffer, double correlation) {}

        /** What training and test images share, so that the test accuracy is too high. */
        record Leak(String kind, List<String> files) {}

        /** The number of images of a class. */
        record ClassSize(String name, int images) {}

        private static final String EQUAL = "equal files";
        private static final String SIMILAR = "similar images";
        private static final String GROUP = "same group";

        Dataset dataset() {
            return inspection.dataset();
        }

        /** Equal files first, then similar images, the most similar first. */
        List<Duplicate> duplicates() {
            Map<String, Integer> labels = new HashMap<>();
            dataset().samples().forEach(sample -> labels.put(sample.path(), sample.label()));
            List<Duplicate> duplicates = new ArrayList<>();
            inspection
                    .exact()
                    .forEach(group -> duplicates.add(new Duplicate(EQUAL, group.paths(), group.contradicts(), 1)));
            inspection.copies().stream()
                    .sorted(Comparator.comparingDouble(Inspection.Copies::correlation)
                            .reversed())
                    .forEach(pair -> duplicates.add(new Duplicate(
                            SIMILAR,
                            List.of(pair.first(), pair.second()),
                            !labels.getOrDefault(pair.first(), -1).equals(labels.getOrDefault(pair.second(), -1)),
                            pair.correlation())));
            return duplicates;
        }

        /** Equal files, similar images and groups on both sides of the split. */
        List<Leak> leaks() {
            List<Leak> leaks = new ArrayList<>();
            inspection.exact().stream()
                    .filter(Inspection.ExactGroup::leaks)
                    .forEach(group -> leaks.add(new Leak(EQUAL, group.paths())));
            inspection.near().forEach(pair -> leaks.add(new Leak(SIMILAR, List.of(pair.seen(), pair.test()))));
            leaks.addAll(dividedGroups());
            return leaks;
        }

        /** Groups of which some images train and others test, each with one image of both sides. */
        private List<Leak> dividedGroups() {
            return inspection.dividedGroups().stream()
                    .map(group -> new Leak(
                            GROUP, List.of(group.seen().path(), group.test().path())))
                    .toList();
        }

        /** All classes, the largest first. */
        List<ClassSize> sizes() {
            int[] images = new int[dataset().classes().size()];
            dataset().samples().forEach(sample -> images[sample.label()]++);
            List<ClassSize> sizes = new ArrayList<>();
            for (int label = 0; label < images.length; label++) {
                sizes.add(new ClassSize(dataset().classes().get(label), images[label]));
            }
            sizes.sort(Comparator.comparingInt(ClassSize::images).reversed().thenComparing(ClassSize::name));
            return sizes;
        }

        /** What to do about it. */
        static final String BALANCE_ADVICE =
                "add images of the small classes; otherwise train with --set classes.weights=balanced, so that every class"
                        + " counts the same";

        /** From this ratio on, a model prefers the large classes noticeably. */
        static final double IMBALANCE = 2;

        /** Images of the largest class per image of the smallest. */
        double imbalance() {
            List<ClassSize> sizes = sizes();
            return (double) sizes.get(0).images() / sizes.get(sizes.size() - 1).images();
        }

        /** Every finding under a stable name. */
        Map<String, @Nullable Object> toMap() {
            List<ClassSize> sizes = sizes();
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            fields.put("images", dataset().samples().size());
            fields.put("classes", dataset().classes().size());
            fields.put("leaveOneOutAccuracy", labels.accuracy());
            fields.put("suspects", labels.suspects());
            fields.put("duplicates", duplicates());
            fields.put("outliers", labels.outliers());
            fields.put("quality", inspection.quality());
            fields.put("broken", inspection.broken());
            fields.put(
                    "imbalance",
                    Json.members(
                            entry("ratio", imbalance()),
                            entry("largest", sizes.get(0)),
                            entry("smallest", sizes.get(sizes.size() - 1))));
            fields.put("leaks", leaks());
            return fields;
        }
    }
}
