package io.github.gramian.similar.index.internal;

import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.FileNames;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.model.Reading;
import io.github.gramian.similar.vector.internal.PrincipalFit;
import io.github.gramian.similar.vector.internal.Reduction;
import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Makes an index that of a directory of photographs: describes new and changed files, and removes deleted ones. Work is
 * committed now and then. If the process is killed, the index is that of the last commit, and the next build continues there.
 */
public final class IndexBuild {

    /** Descriptors of the sample that are stored together. */
    private static final int SAMPLE_PART = 64;

    /** Merging the graphs of this many photographs takes more than a few seconds. */
    private static final long LONG_MERGE = 10_000;

    private final Path root;
    private final IndexModel model;
    private final IndexFolder folder;
    private final Settings settings;
    private final Listener listener;

    private final Describer describer = new Describer();

    /** Receives the progress of the work. */
    public interface Listener {

        /** A sentence for users. */
        default void note(String sentence) {}

        /** Progress among the images that are described. */
        default void described(long images, long total) {}
    }

    /**
     * What a build did.
     *
     * @param photographs in the index now
     * @param described number of images whose descriptors were computed and stored
     * @param changed number of images whose path was indexed before, with other content
     * @param reused number of images whose vector another file of the same content had
     * @param deleted number of images that were removed
     * @param unchanged number of images that stayed as they were
     * @param rejected number of files that are not images that can be read, and of directories that cannot be read
     */
    public record Result(
            long photographs, long described, long changed, long reused, long deleted, long unchanged, long rejected) {}

    public IndexBuild(Path root, IndexModel model, Path index, Settings settings, Listener listener)
            throws IOException {
        if (!Files.isDirectory(root)) {
            throw new NotDirectoryException(root.toString());
        }
        this.root = root;
        this.model = model;
        this.folder = new IndexFolder(index);
        this.settings = settings;
        this.listener = listener;
    }

    /** Does the work. */
    public Result run() throws IOException {
        folder.requireOwn();
        AtomicFile.makeFolder(folder.lucene());
        String name = root.toAbsolutePath().normalize().toString();
        try (VectorWriter writer = VectorWriter.open(folder, name, settings.commitEvery())) {
            describer.remember(sampleFiles().read());
            if (folder.isCreated()) {
                if (isNextComplete()) {
                    take(writer); // killed before the end of this
                }
                return update(writer, folder.settings(), name);
            }
            if (writer.isCommitted()) {
                throw new IndexException(
                        folder.path() + " holds photographs, but its manifest is missing; build the index"
                                + " again in a new directory");
            }
            return create(writer);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private Result update(VectorWriter writer, IndexFolder.Settings stored, String name) throws IOException {
        Manifest manifest = stored.manifest();
        requireModel(manifest, folder.path(), "; use that model, or build a new index with --out");
        Optional<VectorIndex> before = writer.reader(folder, manifest);
        IndexPlan plan;
        try (VectorIndex index = before.orElse(null)) {
            plan = IndexPlan.of(index, root, settings.rehash(), listener::note);
            if (stored.fit().isDue(manifest.dimensions(), plan.different())) {
                return fitAgain(writer, stored);
            }
            if (index != null) {
                if (plan.isEmpty()
                        && index.note().complete()
                        && index.note().root().equals(name)) {
                    return result(writer, plan);
                }
                reuse(writer, plan, index, manifest);
            }
        }
        for (String path : plan.deleted()) {
            writer.delete(path);
        }
        describe(writer, plan.described(), stored.reduction(), manifest, plan);
        finish(writer, manifest, before.isEmpty());
        return result(writer, plan);
    }

    /** Describes all photographs again, as a new index that takes the place of this one, which can be searched meanwhile. */
    private Result fitAgain(VectorWriter writer, IndexFolder.Settings stored) throws IOException {
        listener.note(
                "the vectors have " + stored.manifest().dimensions() + " dimensions, because the index was started"
                        + " with few photographs; there are more now, so all are described again for longer vectors");
        Settings wanted =
                new Settings(stored.fit().wanted(), Optional.empty(), settings.batch(), settings.commitEvery(), false);
        Result result = new IndexBuild(root, model, folder.next().path(), wanted, listener).run();
        take(writer);
        return result;
    }

    private boolean isNextComplete() throws IOException {
        IndexFolder next = folder.next();
        if (!next.isCreated()) {
            return false;
        }
        try (VectorIndex index = VectorIndex.open(next, next.settings().manifest())) {
            return index.note().complete();
        } catch (IndexException e) {
            return false; // nothing is stored yet
        }
    }

    private void take(VectorWriter writer) throws IOException {
        writer.take(folder);
        IndexFolder.delete(folder.next().path());
    }

    private Sample sampleFiles() throws IOException {
        return new Sample(folder.sample(), model.sha256(), Math.min(SAMPLE_PART, settings.commitEvery()));
    }

    /** The first build: the components are those of a sample, which is described first. */
    private Result create(VectorWriter writer) throws IOException {
        IndexPlan plan = IndexPlan.of(null, root, settings.rehash(), listener::note);
        if (plan.described().isEmpty()) {
            throw new IndexException(root + " contains no images that can be read; choose another directory");
        }
        Optional<Path> like = settings.like();
        List<Photo> sample = List.of();
        List<float[]> descriptors = new ArrayList<>();
        Reduction reduction;
        Reduction.Fit fit;
        if (like.isPresent()) {
            IndexFolder.Settings other = new IndexFolder(like.get()).settings();
            requireModel(other.manifest(), like.get(), "; principal components fit one model only");
            reduction = other.reduction();
            fit = new Reduction.Fit(0, reduction.dimensions());
        } else {
            List<Photo> drawn = drawn(plan.described());
            Map<String, float[]> byContent = described(drawn, writer, plan);
            sample = drawn.stream()
                    .filter(photo -> byContent.containsKey(photo.sha256()))
                    .toList();
            sample.forEach(photo -> descriptors.add(byContent.get(photo.sha256())));
            reduction = fitted(descriptors);
            fit = new Reduction.Fit(descriptors.size(), settings.dimensions());
            if (fit.isCoarse(reduction.dimensions())) {
                listener.note("these are too few to rank photographs by similarity; add photographs and run the command"
                        + " again: with " + fit.next() + " or more, it fits the components again");
            }
        }
        String file = model.file().toAbsolutePath().normalize().toString();
        Manifest manifest = folder.create(file, model.sha256(), reduction, fit);
        for (int i = 0; i < sample.size(); i++) {
            writer.add(sample.get(i), reduction.applyCentred(descriptors.get(i)), manifest);
        }
        writer.commit(manifest, false);
        IndexFolder.delete(folder.sample());
        // The sample may take hundreds of megabytes.
        descriptors.clear();
        describer.remember(Map.of());
        Set<Photo> added = new HashSet<>(sample);
        List<Photo> others = plan.described().stream()
                .filter(photo -> !added.contains(photo) && !describer.rejected().contains(photo.path()))
                .toList();
        describe(writer, others, reduction, manifest, plan);
        finish(writer, manifest, true);
        return result(writer, plan);
    }

    /** Describes the sample, and stores the descriptors until the index holds them. */
    private Map<String, float[]> described(List<Photo> drawn, VectorWriter writer, IndexPlan plan) throws IOException {
        Map<String, float[]> byContent = new HashMap<>();
        Sample files = sampleFiles();
        describer.describe(drawn, plan.described().size(), writer, (photo, descriptor) -> {
            byContent.put(photo.sha256(), descriptor);
            if (!describer.remembers(photo)) {
                files.add(photo.sha256(), descriptor);
            }
        });
        return byContent;
    }

    private void describe(
            VectorWriter writer, List<Photo> photos, Reduction reduction, Manifest manifest, IndexPlan plan)
            throws IOException {
        describer.describe(
                photos,
                plan.described().size(),
                writer,
                (photo, descriptor) -> writer.add(photo, reduction.apply(descriptor), manifest));
    }

    private void finish(VectorWriter writer, Manifest manifest, boolean bulk) throws IOException {
        writer.finish(manifest, bulk, () -> {
            if (writer.count() >= LONG_MERGE) {
                listener.note(
                        "the graphs of " + writer.count() + " photographs are merged into one, which can take minutes;"
                                + " the index can be searched meanwhile");
            }
        });
        IndexFolder.delete(folder.sample());
    }

    private Reduction fitted(List<float[]> descriptors) {
        if (descriptors.isEmpty()) {
            throw new IndexException("none of the images in " + root
                    + " can be read; see what is wrong with: gramian data inspect " + root);
        }
        Reduction reduction = PrincipalFit.whitened(
                descriptors, settings.dimensions(), Runtime.getRuntime().availableProcessors());
        listener.note("vectors have " + reduction.dimensions() + " dimensions, from the principal components of "
                + descriptors.size() + " images");
        return reduction;
    }

    private void requireModel(Manifest manifest, Path index, String advice) throws IOException {
        if (!model.sha256().equals(manifest.modelSha256())) {
            throw new IndexException(index + " was built with another model (" + manifest.model() + ", SHA-256 "
                    + manifest.modelSha256().substring(0, 12) + "…) than " + model.file() + advice);
        }
    }

    /** Photographs of different content, drawn by the hashes of that: the same files give the same sample. */
    private List<Photo> drawn(List<Photo> photos) throws IOException {
        Map<String, Photo> different = new LinkedHashMap<>();
        photos.forEach(photo -> different.putIfAbsent(photo.sha256(), photo));
        int size = PrincipalFit.sampleSize(model.descriptorLength());
        Stream<Photo> drawn = different.values().stream();
        return different.size() <= size
                ? drawn.toList()
                : drawn.sorted(Comparator.comparing(photo -> Sha256.of(photo.sha256() + photo.path())))
                        .limit(size)
                        .toList();
    }

    private void reuse(VectorWriter writer, IndexPlan plan, VectorIndex index, Manifest manifest) throws IOException {
        for (Map.Entry<Photo, String> entry : plan.moved().entrySet()) {
            float[] vector = index.vectorOfPath(entry.getValue())
                    .orElseThrow(() -> new IndexException(
                            folder.path() + " has no vector of " + entry.getValue() + "; build the index again"));
            writer.add(entry.getKey(), vector, manifest);
        }
    }

    private Result result(VectorWriter writer, IndexPlan plan) {
        return new Result(
                writer.count(),
                plan.described().size() - describer.rejected().size(),
                plan.changed(),
                plan.moved().size(),
                plan.deleted().size(),
                plan.unchanged(),
                describer.rejected().size() + plan.unreadable());
    }

    /** Receives descriptors. */
    @FunctionalInterface
    private interface Receiver {
        void accept(Photo photo, float[] descriptor) throws IOException;
    }

    /** Describes the photographs of the directory with the model, except for those whose descriptors are known. */
    private final class Describer {

        private final Set<String> rejected = new LinkedHashSet<>();
        private Map<String, float[]> known = Map.of();
        private long done;

        /** Uses these descriptors, by content, from now on. */
        void remember(Map<String, float[]> descriptors) {
            known = descriptors;
        }

        boolean remembers(Photo photo) {
            return known.containsKey(photo.sha256());
        }

        /** Paths of the files that are not images that can be read. */
        Set<String> rejected() {
            return rejected;
        }

        /**
         * Describes photographs in their order, after those that are known.
         *
         * @param total number of photographs of the whole work, for the listener
         * @param writer removes photographs that are rejected: their earlier content must not be found any more
         */
        void describe(List<Photo> photos, long total, VectorWriter writer, Receiver receiver) throws IOException {
            List<Photo> unknown = new ArrayList<>();
            for (Photo photo : photos) {
                float[] descriptor = known.get(photo.sha256());
                if (descriptor == null) {
                    unknown.add(photo);
                } else {
                    receiver.accept(photo, descriptor);
                    listener.described(++done, total);
                }
            }
            if (unknown.isEmpty()) {
                return;
            }
            List<Path> files = unknown.stream()
                    .map(photo -> FileNames.within(root, photo.path()))
                    .toList();
            int[] next = {0};
            model.describe(files, settings.batch(), reading -> {
                try {
                    receive(unknown.get(next[0]++), reading, writer, receiver);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                listener.described(++done, total);
            });
        }

        private void receive(Photo photo, Reading reading, VectorWriter writer, Receiver receiver) throws IOException {
            Optional<String> rejection = reading.prediction().rejection();
            if (rejection.isPresent()) {
                rejected.add(photo.path());
                listener.note(photo.path() + ": " + rejection.get());
                writer.delete(photo.path());
            } else {
                receiver.accept(photo, reading.descriptor());
            }
        }
    }

    /**
     * Descriptors of the sample that the components of a new index are fitted to. They are stored as they are computed, some to a file, so that
     * a build that was killed before the fit continues.
     */
    private static final class Sample {

        private static final String MODEL = "model";

        private final Path folder;
        private final String modelSha256;
        private final int perFile;
        private final Map<String, SafetensorsWriter.Floats> pending = new TreeMap<>();

        /** @param perFile number of descriptors in a file, the most that a kill can lose */
        Sample(Path folder, String modelSha256, int perFile) {
            this.folder = folder;
            this.modelSha256 = modelSha256;
            this.perFile = perFile;
        }

        /** Adds the descriptor of a photograph with this content. */
        void add(String sha256, float[] descriptor) throws IOException {
            pending.put(sha256, new SafetensorsWriter.Floats(descriptor, List.of((long) descriptor.length)));
            if (pending.size() >= perFile) {
                Path file = folder.resolve(sha256 + ".safetensors");
                SafetensorsWriter.writeSealedFloats(file, pending, Map.of(MODEL, modelSha256));
                pending.clear();
            }
        }

        /** The stored descriptors of this model by content. Files that are damaged or of another model are ignored. */
        Map<String, float[]> read() throws IOException {
            Map<String, float[]> descriptors = new HashMap<>();
            if (!Files.isDirectory(folder)) {
                return descriptors;
            }
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.safetensors")) {
                for (Path path : files) {
                    try (SafetensorsFile file = SafetensorsFile.open(path)) {
                        if (modelSha256.equals(file.metadata().get(MODEL)) && file.isIntact()) {
                            for (TensorEntry entry : file.entries()) {
                                descriptors.put(entry.name(), Reduction.floats(file, entry.name()));
                            }
                        }
                    } catch (SafetensorsException e) {
                        // Its photographs are described again.
                    }
                }
            }
            return descriptors;
        }
    }

    /**
     * How an index is built.
     *
     * @param dimensions of a vector; used when the index is created
     * @param like another index of the same model, whose principal components are used when this one is created
     * @param batch images per batch
     * @param commitEvery images after which the work so far is committed
     * @param rehash whether contents are compared even if size and time of a file are unchanged
     */
    public record Settings(int dimensions, Optional<Path> like, int batch, int commitEvery, boolean rehash) {

        public Settings {
            if (dimensions < 1 || dimensions > Reduction.MAX_DIMENSIONS) {
                throw new IllegalArgumentException(
                        "dimensions must lie in 1.." + Reduction.MAX_DIMENSIONS + " but is " + dimensions);
            }
            if (batch < 1) {
                throw new IllegalArgumentException("batch must be at least 1 but is " + batch);
            }
            if (commitEvery < 1) {
                throw new IllegalArgumentException("commitEvery must be at least 1 but is " + commitEvery);
            }
        }

        /** 256 dimensions, batches of 16, a commit per 2,000 images. */
        public static Settings defaults() {
            return new Settings(256, Optional.empty(), 16, 2000, false);
        }
    }
}
