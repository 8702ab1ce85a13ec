package io.github.gramian.similar.index.internal;

import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.similar.vector.internal.Reduction;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Set;
import java.util.stream.Stream;

/** The files of an index: {@code manifest.json}, {@code reduction.safetensors} and the directory {@code lucene}. */
public record IndexFolder(Path path) {

    private static final String MANIFEST = "manifest.json";
    private static final String REDUCTION = "reduction.safetensors";
    private static final String LUCENE = "lucene";

    /** The descriptors of a first build that has not reached its first commit. */
    private static final String SAMPLE = ".sample";

    /** The index that replaces this one once it is complete. */
    private static final String NEXT = ".next";

    /** Manifest and reduction of an index, verified, and what the reduction was fitted to. */
    public record Settings(Manifest manifest, Reduction reduction, Reduction.Fit fit) {}

    Path lucene() {
        return path.resolve(LUCENE);
    }

    Path sample() {
        return path.resolve(SAMPLE);
    }

    IndexFolder next() {
        return new IndexFolder(path.resolve(NEXT));
    }

    private Path manifestFile() {
        return path.resolve(MANIFEST);
    }

    private Path reductionFile() {
        return path.resolve(REDUCTION);
    }

    /** Whether the index was created; it may still be incomplete. */
    public boolean isCreated() {
        return Files.exists(manifestFile());
    }

    /** Refuses a directory that holds other files, so that an index is never mixed with them. */
    void requireOwn() throws IOException {
        if (!Files.exists(path)) {
            return;
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
            for (Path entry : entries) {
                String name = String.valueOf(entry.getFileName());
                if (!Set.of(MANIFEST, REDUCTION, LUCENE).contains(name)
                        && !name.startsWith(".")
                        && !name.endsWith(".tmp")) {
                    throw new IndexException(
                            path + " is not an index: it holds " + name + "; choose a new directory with --out");
                }
            }
        }
    }

    /** Writes the reduction, then the manifest: an index exists from then on. */
    Manifest create(String model, String modelSha256, Reduction reduction, Reduction.Fit fit) throws IOException {
        AtomicFile.makeFolder(path);
        reduction.write(reductionFile(), fit);
        String checksum = Reduction.read(reductionFile()).checksum();
        Manifest manifest = new Manifest(model, modelSha256, checksum, reduction.dimensions());
        manifest.write(manifestFile());
        return manifest;
    }

    /** Takes the reduction and the manifest of the next index. */
    void takeSettings() throws IOException {
        AtomicFile.writeBytes(reductionFile(), ByteBuffer.wrap(Files.readAllBytes(next().reductionFile())));
        Manifest.read(next().manifestFile()).write(manifestFile());
    }

    /** Deletes a directory of an index, if it is there: the manifest first, without which the rest is not an index. */
    static void delete(Path folder) throws IOException {
        Files.deleteIfExists(folder.resolve(MANIFEST));
        if (Files.exists(folder)) {
            try (Stream<Path> below = Files.walk(folder)) {
                for (Path one : below.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(one);
                }
            }
        }
    }

    /** Creates an index with the reduction of others, whose manifest is given with it. */
    Settings create(Manifest manifest, byte[] reduction) throws IOException {
        AtomicFile.makeFolder(path);
        AtomicFile.writeBytes(reductionFile(), ByteBuffer.wrap(reduction));
        manifest.write(manifestFile());
        return settings(manifest);
    }

    /**
     * Reads manifest and reduction, every byte of which is verified.
     *
     * @throws IndexException if one is missing or damaged, or if they do not belong together
     */
    public Settings settings() throws IOException {
        if (!isCreated()) {
            throw new IndexException(path + " is not an index: it has no " + MANIFEST
                    + "; make one with: gramian index PHOTOS --model M --out " + path);
        }
        return settings(Manifest.read(manifestFile()));
    }

    /** Reads the reduction, which a manifest must belong to. */
    Settings settings(Manifest manifest) throws IOException {
        Reduction.Stored stored;
        try {
            stored = Reduction.read(reductionFile());
        } catch (RuntimeException e) {
            throw new IndexException(
                    reductionFile() + " cannot be used (" + e.getMessage() + "); build the index again", e);
        }
        if (!stored.checksum().equals(manifest.reduction())
                || stored.reduction().dimensions() != manifest.dimensions()) {
            throw new IndexException(
                    reductionFile() + " does not belong to the manifest next to it; build the index again");
        }
        return new Settings(manifest, stored.reduction(), stored.fit());
    }
}
