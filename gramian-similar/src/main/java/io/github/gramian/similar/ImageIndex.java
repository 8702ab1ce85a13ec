package io.github.gramian.similar;

import io.github.gramian.dataset.internal.ContentHash;
import io.github.gramian.io.internal.FileNames;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.model.Reading;
import io.github.gramian.similar.index.internal.IndexBuild;
import io.github.gramian.similar.index.internal.IndexException;
import io.github.gramian.similar.index.internal.IndexModel;
import io.github.gramian.similar.index.internal.Manifest;
import io.github.gramian.similar.index.internal.PhotoFilter;
import io.github.gramian.similar.index.internal.PhotoSearch;
import io.github.gramian.similar.index.internal.VectorIndex;
import io.github.gramian.similar.vector.internal.Reduction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * An index of photographs that finds those most similar to a given one. Safe for use by many threads; only {@link #close} must
 * come last. An open index stays as it was when it was opened, even if it is updated meanwhile.
 *
 * <pre>{@code
 * ImageIndex.build(photos, model, folder);
 * try (ImageIndex index = ImageIndex.open(folder)) {
 *     for (ImageIndex.Match match : index.similar(photo, 20)) {
 *         System.out.println(match.similarity() + " " + match.file());
 *     }
 * }
 * }</pre>
 */
public final class ImageIndex implements AutoCloseable {

    private final Manifest manifest;
    private final Reduction reduction;
    private final Reduction.Fit fit;
    private final PhotoSearch vectors;
    private final String root;
    private final IndexModel.Loaded model;
    private boolean verified;

    private ImageIndex(PhotoSearch.Opened opened, IndexModel.Loaded model) throws IOException {
        this.manifest = opened.settings().manifest();
        this.reduction = opened.settings().reduction();
        this.fit = opened.settings().fit();
        this.vectors = opened.photos();
        this.root = vectors.note().root();
        this.model = model;
    }

    /**
     * A photograph that was found.
     *
     * @param file path of the photograph
     * @param label first directory of its path inside the indexed directory; empty for files at the top
     * @param similarity −1 to 1; 1 for the same content
     */
    public record Match(Path file, String label, float similarity) {}

    /**
     * Makes an index that of a directory of photographs. The first call creates it; later calls describe only new and changed
     * files, and remove deleted ones. If a build is killed, the next one continues.
     *
     * @param model that describes the photographs; an existing index takes the same model only
     * @return the number of photographs in the index
     */
    public static long build(Path photos, Path model, Path index) throws IOException {
        try (IndexModel.Loaded loaded = new IndexModel.Loaded(model)) {
            return new IndexBuild(photos, loaded, index, IndexBuild.Settings.defaults(), new IndexBuild.Listener() {})
                    .run()
                    .photographs();
        }
    }

    /**
     * Opens an index, or a directory of indexes from {@code gramian-spark index}. Its model is loaded from where it was when the
     * index was created, once a query needs it.
     */
    public static ImageIndex open(Path index) throws IOException {
        PhotoSearch.Opened opened = PhotoSearch.Opened.of(index);
        return open(opened, FileNames.path(opened.settings().manifest().model()));
    }

    /** Opens an index whose model has another path now. */
    public static ImageIndex open(Path index, Path model) throws IOException {
        return open(PhotoSearch.Opened.of(index), model);
    }

    private static ImageIndex open(PhotoSearch.Opened opened, Path model) throws IOException {
        try {
            return new ImageIndex(opened, new IndexModel.Loaded(model));
        } catch (IOException | RuntimeException failure) {
            opened.photos().close();
            throw failure;
        }
    }

    /** Number of photographs. */
    public int count() {
        return vectors.count();
    }

    /** Directory of the photographs. */
    public Path root() {
        return FileNames.path(root);
    }

    /** Whether every photograph of the directory is in the index; false after a build that did not reach its end. */
    public boolean isComplete() throws IOException {
        return vectors.note().complete();
    }

    /** A sentence for users if similarities of this index say little; otherwise empty. */
    String limitation() {
        return fit.isCoarse(reduction.dimensions())
                ? "the index was started with too few photographs to rank by similarity; add photographs, and run gramian"
                        + " index again when there are " + fit.next() + " or more"
                : "";
    }

    /**
     * The photographs most similar to one, the most similar first. An indexed photograph is found itself, with similarity 1, and needs
     * no model.
     *
     * @param top number of photographs
     * @param filters such as {@code label=oak}, {@code path=2024/*} or {@code after=2024-05-01}; those of one field are alternatives
     */
    public List<Match> similar(Path photo, int top, String... filters) throws IOException {
        String sha256 = ContentHash.ofFile(photo).orElseThrow(() -> new NoSuchFileException(photo.toString()));
        Optional<float[]> known = vectors.vectorOfContent(sha256);
        return found(known.isPresent() ? known.get() : reduction.apply(described(photo)), top, filters);
    }

    /** The photographs most similar to the one with this descriptor, which the index's model has computed. */
    public List<Match> similar(float[] descriptor, int top, String... filters) throws IOException {
        return found(reduction.apply(descriptor), top, filters);
    }

    private List<Match> found(float[] vector, int top, String... filters) throws IOException {
        return vectors.search(vector, top, PhotoFilter.of(Arrays.asList(filters))).stream()
                .map(near -> new Match(
                        FileNames.within(root(), near.photo().path()),
                        near.photo().label(),
                        near.similarity()))
                .toList();
    }

    private float[] described(Path photo) throws IOException {
        requireModel();
        List<Reading> readings = new ArrayList<>();
        model.describe(List.of(photo), 1, readings::add);
        Reading reading = readings.get(0);
        reading.prediction().rejection().ifPresent(reason -> {
            throw new IndexException(photo + ": " + reason);
        });
        return reading.descriptor();
    }

    private synchronized void requireModel() throws IOException {
        if (verified) {
            return;
        }
        if (!Files.exists(model.file())) {
            throw new IndexException(
                    model.file() + ", the model of the index, does not exist; if it was moved, name it with --model");
        }
        if (!new Sha256().add(model.file()).hex().equals(manifest.modelSha256())) {
            throw new IndexException(model.file() + " is not the model that the index was built with (SHA-256 "
                    + manifest.modelSha256().substring(0, 12) + "…); name that model with --model");
        }
        verified = true;
    }

    /**
     * The vectors, for the commands of this package.
     *
     * @throws IndexException if the index has parts, since a task needs one index
     */
    VectorIndex vectors() {
        if (vectors instanceof VectorIndex one) {
            return one;
        }
        throw new IndexException(
                "duplicates are found in one index only; name a part of this one: its directory part-…");
    }

    @Override
    public void close() throws IOException {
        try (model) {
            vectors.close();
        }
    }
}
