package io.github.gramian.similar.index.internal;

import io.github.gramian.io.internal.ParallelWork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.lucene.search.Query;
import org.jspecify.annotations.Nullable;

/**
 * A directory of independent indexes that is searched as one. Each part has its own searcher with its own candidates, and the
 * results are merged: one reader of all parts would share the candidates among them, and find less.
 */
public final class PartedIndex implements PhotoSearch {

    /** The nearest first; equal ones by path, so that the order does not depend on threads. */
    public static final Comparator<VectorIndex.Neighbour> NEAREST_FIRST = Comparator.comparing(
                    VectorIndex.Neighbour::similarity, Comparator.reverseOrder())
            .thenComparing(near -> near.photo().path());

    private final Path folder;
    private final Manifest manifest;
    private final List<VectorIndex> parts;
    private final ExecutorService threads;

    private PartedIndex(Path folder, Manifest manifest, List<VectorIndex> parts) {
        this.folder = folder;
        this.manifest = manifest;
        this.parts = parts;
        int cores = Runtime.getRuntime().availableProcessors();
        this.threads = Executors.newFixedThreadPool(Math.min(cores, parts.size()), PartedIndex::daemon);
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "gramian-part");
        thread.setDaemon(true);
        return thread;
    }

    /** Opens all parts, and compares their counts with the manifest. */
    static PartedIndex open(Path folder, Manifest manifest) throws IOException {
        if (manifest.photographs() > Integer.MAX_VALUE) {
            throw new IndexException(folder + " holds " + manifest.photographs()
                    + " photographs, more than one process can search; search it with gramian-spark similar");
        }
        List<VectorIndex> parts = new ArrayList<>();
        try {
            for (Manifest.Part part : manifest.parts()) {
                parts.add(open(folder.resolve(part.name()), part, manifest));
            }
            return new PartedIndex(folder, manifest, parts);
        } catch (IOException | RuntimeException failure) {
            for (VectorIndex part : parts) {
                part.close();
            }
            throw failure;
        }
    }

    /** Opens one part, which must be what the manifest says. */
    public static VectorIndex open(Path path, Manifest.Part part, Manifest common) throws IOException {
        if (!Files.isDirectory(path)) {
            throw new IndexException(
                    path + ", a part of the index, is missing; copy it again, or build the index again");
        }
        VectorIndex index = VectorIndex.open(new IndexFolder(path), common);
        if (index.count() != part.photographs()) {
            int count = index.count();
            index.close();
            throw new IndexException(path + " holds " + count + " photographs, but " + Manifest.PARTS + " lists "
                    + part.photographs() + "; copy the part again, or build the index again");
        }
        return index;
    }

    @Override
    public int count() {
        return Math.toIntExact(manifest.photographs());
    }

    @Override
    public PhotoSearch.Note note() {
        return new PhotoSearch.Note(manifest.root(), manifest.reduction(), true);
    }

    @Override
    public boolean isLatest() throws IOException {
        return Manifest.readParts(folder).equals(manifest);
    }

    @Override
    public List<VectorIndex.Neighbour> search(float[] query, int top, @Nullable Query filter) throws IOException {
        List<Future<List<VectorIndex.Neighbour>>> searches = new ArrayList<>();
        for (VectorIndex part : parts) {
            searches.add(threads.submit(() -> searched(part, query, top, filter)));
        }
        List<VectorIndex.Neighbour> found = new ArrayList<>();
        try {
            for (Future<List<VectorIndex.Neighbour>> one : searches) {
                found.addAll(ParallelWork.result(one));
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return found.stream().sorted(NEAREST_FIRST).limit(top).toList();
    }

    private static List<VectorIndex.Neighbour> searched(
            VectorIndex part, float[] query, int top, @Nullable Query filter) {
        try {
            return part.search(query, top, filter);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Optional<float[]> vectorOfContent(String sha256) throws IOException {
        for (VectorIndex part : parts) {
            Optional<float[]> vector = part.vectorOfContent(sha256);
            if (vector.isPresent()) {
                return vector;
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() throws IOException {
        threads.shutdown();
        for (VectorIndex part : parts) {
            part.close();
        }
    }
}
