package io.github.gramian.similar.index.internal;

import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.FileNames;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.model.Reading;
import io.github.gramian.similar.vector.internal.PrincipalFit;
import io.github.gramian.similar.vector.internal.Reduction;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Makes an index that of a directory of photographs: describes new and changed files, and removes deleted ones. Work is
 * committed now and then. If the process is killed, the index is that of the last commit, and the next build continues there.
 */
public final class IndexBuild {

    /** Merging the graphs of this many photographs takes more than a few seconds. */
    private static final long LONG_MERGE = 10_000;

    private final Path root;
    private final IndexModel model;
    private final IndexFolder folder;
    private final IndexSettings settings;
    private final Listener listener;

    private final List<String> rejected = new ArrayList<>();
    private long done;

    /** Receives the progress of the work. */
    public interface Listener {

        /** A sentence for users. */
        void note(String sentence);

        /** Progress among the images that are described. */
        void described(long images, long total);
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
     * @param rejected number of files that are not images that can be read
     */
    public record Result(
            long photographs, long described, long changed, long reused, long deleted, long unchanged, long rejected) {}

    public IndexBuild(Path root, IndexModel model, Path index, IndexSettings settings, Listener listener)
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
            if (folder.isCreated()) {
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
        describe(
                writer,
                plan.described(),
                stored.reduction(),
                manifest,
                plan.described().size());
        finish(writer, manifest, before.isEmpty());
        return result(writer, plan);
    }

    /** The first build: the components are those of a sample, which is described first. */
    private Result create(VectorWriter writer) throws IOException {
        IndexPlan plan = IndexPlan.of(null, root, settings.rehash(), listener::note);
        if (plan.described().isEmpty()) {
            throw new IndexException(root + " contains no images that can be read; choose another directory");
        }
        Optional<Path> like = settings.like();
        List<Photo> sampled = new ArrayList<>();
        List<float[]> descriptors = new ArrayList<>();
        Set<String> sample = new HashSet<>();
        Reduction reduction;
        if (like.isPresent()) {
            IndexFolder.Settings other = new IndexFolder(like.get()).settings();
            requireModel(other.manifest(), like.get(), "; principal components fit one model only");
            reduction = other.reduction();
        } else {
            List<Photo> drawn = drawn(plan.described(), PrincipalFit.sampleSize(model.descriptorLength()));
            drawn.forEach(photo -> sample.add(photo.path()));
            describe(drawn, plan.described().size(), writer, (photo, descriptor) -> {
                sampled.add(photo);
                descriptors.add(descriptor);
            });
            reduction = fitted(descriptors);
        }
        String file = model.file().toAbsolutePath().normalize().toString();
        Manifest manifest = folder.create(file, model.sha256(), reduction);
        for (int i = 0; i < sampled.size(); i++) {
            writer.add(sampled.get(i), reduction.applyCentred(descriptors.get(i)), manifest);
        }
        // The sample may take hundreds of megabytes.
        descriptors.clear();
        List<Photo> others = plan.described().stream()
                .filter(photo -> !sample.contains(photo.path()))
                .toList();
        describe(writer, others, reduction, manifest, plan.described().size());
        finish(writer, manifest, true);
        return result(writer, plan);
    }

    private void finish(VectorWriter writer, Manifest manifest, boolean bulk) throws IOException {
        writer.finish(manifest, bulk, () -> {
            if (writer.count() >= LONG_MERGE) {
                listener.note(
                        "the graphs of " + writer.count() + " photographs are merged into one, which can take minutes;"
                                + " the index can be searched meanwhile");
            }
        });
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

    /** Photographs drawn by the hashes of their contents: the same files give the same sample. */
    private static List<Photo> drawn(List<Photo> photos, int size) {
        return photos.size() <= size
                ? photos
                : photos.stream()
                        .sorted(Comparator.comparing(photo -> Sha256.of(photo.sha256() + photo.path())))
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

    private void describe(VectorWriter writer, List<Photo> photos, Reduction reduction, Manifest manifest, long total)
            throws IOException {
        describe(
                photos, total, writer, (photo, descriptor) -> writer.add(photo, reduction.apply(descriptor), manifest));
    }

    @FunctionalInterface
    private interface Described {
        void accept(Photo photo, float[] descriptor) throws IOException;
    }

    private void describe(List<Photo> photos, long total, VectorWriter writer, Described receiver) throws IOException {
        if (photos.isEmpty()) {
            return;
        }
        List<Path> files = photos.stream()
                .map(photo -> FileNames.within(root, photo.path()))
                .toList();
        int[] next = {0};
        model.describe(files, settings.batch(), reading -> {
            try {
                receive(photos.get(next[0]++), reading, writer, receiver);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            listener.described(++done, total);
        });
    }

    private void receive(Photo photo, Reading reading, VectorWriter writer, Described receiver) throws IOException {
        Optional<String> rejection = reading.prediction().rejection();
        if (rejection.isPresent()) {
            rejected.add(photo.path());
            listener.note(photo.path() + ": " + rejection.get());
            // Its earlier content must not be found any more.
            writer.delete(photo.path());
        } else {
            receiver.accept(photo, reading.descriptor());
        }
    }

    private Result result(VectorWriter writer, IndexPlan plan) {
        return new Result(
                writer.count(),
                plan.described().size() - rejected.size(),
                plan.changed(),
                plan.moved().size(),
                plan.deleted().size(),
                plan.unchanged(),
                rejected.size());
    }
}
