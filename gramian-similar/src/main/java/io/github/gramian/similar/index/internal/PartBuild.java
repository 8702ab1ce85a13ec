package io.github.gramian.similar.index.internal;

import io.github.gramian.similar.vector.internal.Reduction;
import java.io.IOException;
import java.nio.file.Path;

/** Builds an index from descriptors that are there already, in an empty directory. Photographs may have equal paths. */
public final class PartBuild implements AutoCloseable {

    private final IndexFolder.Settings settings;
    private final VectorWriter writer;
    private long photographs;

    private PartBuild(IndexFolder.Settings settings, VectorWriter writer) {
        this.settings = settings;
        this.writer = writer;
    }

    /**
     * Creates the index.
     *
     * @param common model, reduction and dimensions
     * @param reduction the bytes of the reduction's file
     * @param root directory of the photographs; empty if they lie in shards
     */
    public static PartBuild in(Path path, Manifest common, byte[] reduction, String root) throws IOException {
        IndexFolder folder = new IndexFolder(path);
        IndexFolder.Settings settings = folder.create(common, reduction);
        return new PartBuild(settings, VectorWriter.open(folder, root, Integer.MAX_VALUE));
    }

    /** The reduction, which descriptors have to fit. */
    public Reduction reduction() {
        return settings.reduction();
    }

    /** Adds a photograph. */
    public void add(Photo photo, float[] descriptor) throws IOException {
        writer.append(photo, settings.reduction().apply(descriptor));
        photographs++;
    }

    /** Completes the index, and returns the number of photographs. */
    public long finish() throws IOException {
        writer.finish(settings.manifest(), true, () -> {});
        return photographs;
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }
}
