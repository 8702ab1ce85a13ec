package io.github.gramian.backbone.engine.internal;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * The fast engines of one frozen network, one per {@link FrozenRequest}, opened when they are first needed. Each holds a copy of
 * the weights, so only {@link #MAX_OPEN} are open at once. The one that was used longest ago is closed first.
 */
public final class FrozenEngines implements AutoCloseable {

    static final int MAX_OPEN = 4;

    /**
     * Number of image sizes that get their own engine, which is 5 to 12 % faster (docs/decisions/0022-frozen-features.md).
     * Other sizes share one engine, so that images of many sizes do not open engines all the time.
     */
    static final int MAX_OWN_SIZES = 2;

    private final Function<FrozenRequest, Optional<FrozenEngine>> opener;
    private final boolean anySize;

    /** The sizes that were asked for first. */
    private final Set<Integer> ownSizes = ConcurrentHashMap.newKeySet();

    /** In the order of their last use, which each {@code get} changes; without an engine where LibTorch must compute. */
    private final Map<FrozenRequest, Optional<FrozenEngine>> engines = new LinkedHashMap<>(MAX_OPEN, 1, true);

    /** Held for reading while an engine computes, and for writing while engines are opened or closed. */
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

    /**
     * @param opener opens an engine that has been checked; empty if LibTorch must compute
     * @param anySize whether one engine can compute images of all sizes
     */
    public FrozenEngines(Function<FrozenRequest, Optional<FrozenEngine>> opener, boolean anySize) {
        this.opener = opener;
        this.anySize = anySize;
    }

    /** No engines: LibTorch computes everything. */
    public static FrozenEngines none() {
        return new FrozenEngines(request -> Optional.empty(), true);
    }

    /**
     * The features of images [batch, 3, size, size] at these layers, in their order; empty if LibTorch must compute them. That
     * is so for images that need gradients, and for images that are not square.
     */
    public Optional<List<Tensor>> features(Tensor images, List<String> taps) {
        if (images.requires_grad() || images.size(2) != images.size(3)) {
            return Optional.empty();
        }
        FrozenRequest request =
                new FrozenRequest(taps, requestedSize(Math.toIntExact(images.size(2))), torch.get_num_threads());
        while (true) {
            lock.readLock().lock();
            try {
                if (isOpened(request)) {
                    return engine(request).map(engine -> engine.features(images));
                }
            } finally {
                lock.readLock().unlock();
            }
            open(request);
        }
    }

    private int requestedSize(int size) {
        if (!anySize || ownSizes.contains(size)) {
            return size;
        }
        synchronized (ownSizes) {
            if (ownSizes.size() < MAX_OWN_SIZES) {
                ownSizes.add(size);
            }
            return ownSizes.contains(size) ? size : FrozenRequest.ANY_SIZE;
        }
    }

    private boolean isOpened(FrozenRequest request) {
        synchronized (engines) {
            return engines.containsKey(request);
        }
    }

    private Optional<FrozenEngine> engine(FrozenRequest request) {
        synchronized (engines) {
            return Objects.requireNonNull(engines.get(request));
        }
    }

    private void open(FrozenRequest request) {
        lock.writeLock().lock();
        try {
            if (engines.containsKey(request)) {
                return;
            }
            if (engines.size() == MAX_OPEN) {
                FrozenRequest oldest = engines.keySet().iterator().next();
                engine(oldest).ifPresent(FrozenEngine::close);
                engines.remove(oldest);
            }
            engines.put(request, opener.apply(request));
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** The name of an engine that is open; empty if LibTorch has computed all features so far. */
    public Optional<String> name() {
        lock.readLock().lock(); // while no engine is opened or closed
        try {
            synchronized (engines) {
                return engines.values().stream()
                        .flatMap(Optional::stream)
                        .map(FrozenEngine::name)
                        .findFirst();
            }
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Closes all engines. No thread may use them any more. */
    @Override
    public void close() {
        lock.writeLock().lock();
        try {
            engines.values().forEach(engine -> engine.ifPresent(FrozenEngine::close));
            engines.clear();
        } finally {
            lock.writeLock().unlock();
        }
    }
}
