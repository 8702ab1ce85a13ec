package io.github.gramian.serve.inference.internal;

import io.github.gramian.model.internal.NeighbourProvider;
import io.github.gramian.model.internal.NeighbourSearch;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;

/**
 * The index of photographs that is searched. When its files change, it is opened again: searches under way end on the old one,
 * and none is lost.
 */
public final class ServedIndex implements AutoCloseable {

    private final Path path;
    private final NeighbourProvider provider;
    private final ObjLongConsumer<ModelSpec> searchNanos;

    /** Searches hold the lock for reading; it is taken for writing only to exchange the open index. */
    private final ReadWriteLock lock = new ReentrantReadWriteLock();

    private volatile NeighbourSearch current;

    private ServedIndex(Path path, NeighbourProvider provider, ObjLongConsumer<ModelSpec> searchNanos)
            throws IOException {
        this.path = path;
        this.provider = provider;
        this.searchNanos = searchNanos;
        this.current = provider.open(path);
    }

    /**
     * Opens an index.
     *
     * @param searchNanos receives the time of each search
     * @throws IllegalArgumentException if nothing that reads indexes is installed, or if no model described the photographs
     */
    public static ServedIndex open(Path path, List<ServedModel> models, ObjLongConsumer<ModelSpec> searchNanos)
            throws IOException {
        NeighbourProvider provider = NeighbourProvider.installed()
                .orElseThrow(
                        () -> new IllegalArgumentException("an index needs the module gramian-similar, which is not"
                                + " installed; use the full distribution, or start without --index"));
        ServedIndex index = new ServedIndex(path, provider, searchNanos);
        if (models.stream().noneMatch(index::isOf)) {
            String built = index.use(search -> search.model() + ", SHA-256 " + shortened(search));
            index.close();
            throw new IllegalArgumentException(path + " was built with another model (" + built
                    + ") than those served; serve that model, or build an index with: gramian index PHOTOS --model M");
        }
        return index;
    }

    private static String shortened(NeighbourSearch search) {
        return search.modelSha256().substring(0, 12) + "…";
    }

    /** Runs on the open index, which is not exchanged meanwhile. */
    private <T> T use(Function<NeighbourSearch, T> work) {
        Lock reading = lock.readLock();
        reading.lock();
        try {
            return work.apply(current);
        } finally {
            reading.unlock();
        }
    }

    public Path path() {
        return path;
    }

    /** Number of photographs. */
    public int count() {
        return use(NeighbourSearch::count);
    }

    /** Whether a model described the photographs of the index. */
    public boolean isOf(ServedModel model) {
        return use(search -> search.modelSha256().equals(model.sha256()));
    }

    /** Refuses a model that did not describe the photographs (404). */
    public void require(ServedModel model) {
        use(search -> {
            require(search, model);
            return search;
        });
    }

    private void require(NeighbourSearch search, ServedModel model) {
        if (!search.modelSha256().equals(model.sha256())) {
            throw new RequestException(
                    404,
                    "the model " + model.spec() + " has no index: that of this server was built"
                            + " with another model file (SHA-256 " + shortened(search) + ")");
        }
    }

    /**
     * Refuses a query that the index cannot answer.
     *
     * @throws IllegalArgumentException if a filter is unknown
     */
    public void check(NeighbourSearch.Query query) {
        use(search -> {
            search.check(query);
            return search;
        });
    }

    /** The photographs most similar to one that a model has described. */
    public List<NeighbourSearch.Neighbour> find(ServedModel model, float[] descriptor, NeighbourSearch.Query query) {
        long start = System.nanoTime();
        List<NeighbourSearch.Neighbour> found = use(search -> {
            require(search, model);
            try {
                return search.find(descriptor, query);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        searchNanos.accept(model.spec(), System.nanoTime() - start);
        return found;
    }

    /**
     * Opens the index again if its files have changed. If that fails, the old one remains in use. For one thread, which holds no
     * lock while it reads files, since that may take for ever.
     *
     * @return whether there is a new one
     */
    public boolean refresh() throws IOException {
        if (current.isLatest()) {
            return false;
        }
        NeighbourSearch next = provider.open(path);
        NeighbourSearch old;
        Lock writing = lock.writeLock();
        writing.lock();
        try {
            old = current;
            current = next;
        } finally {
            writing.unlock();
        }
        old.close();
        return true;
    }

    @Override
    public void close() throws IOException {
        Lock writing = lock.writeLock();
        writing.lock();
        try {
            current.close();
        } finally {
            writing.unlock();
        }
    }
}
