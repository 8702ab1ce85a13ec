package io.github.gramian.similar.index.internal;

import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.similar.vector.internal.PrincipalFit;
import io.github.gramian.similar.vector.internal.Reduction;
import io.github.gramian.similar.vector.internal.ReductionFile;
import io.github.gramian.similar.vector.internal.SampleFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
    private final IndexSettings settings;
    private final Listener listener;

    private final PhotoDescriber describer;

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
     * @param rejected number of files that are not images that can be read, and of directories that cannot be read
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
        this.describer = new PhotoDescriber(root, model, settings.batch(), listener);
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
        IndexSettings wanted = new IndexSettings(
                stored.fit().wanted(), Optional.empty(), settings.batch(), settings.commitEvery(), false);
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

    private SampleFiles sampleFiles() throws IOException {
        return new SampleFiles(folder.sample(), model.sha256(), Math.min(SAMPLE_PART, settings.commitEvery()));
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
        ReductionFile.Fit fit;
        if (like.isPresent()) {
            IndexFolder.Settings other = new IndexFolder(like.get()).settings();
            requireModel(other.manifest(), like.get(), "; principal components fit one model only");
            reduction = other.reduction();
            fit = new ReductionFile.Fit(0, reduction.dimensions());
        } else {
            List<Photo> drawn = drawn(plan.described());
            Map<String, float[]> byContent = described(drawn, writer, plan);
            sample = drawn.stream()
                    .filter(photo -> byContent.containsKey(photo.sha256()))
                    .toList();
            sample.forEach(photo -> descriptors.add(byContent.get(photo.sha256())));
            reduction = fitted(descriptors);
            fit = new ReductionFile.Fit(descriptors.size(), settings.dimensions());
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
        SampleFiles files = sampleFiles();
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
}
