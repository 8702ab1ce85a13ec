package io.github.gramian.feature.internal;

import io.github.gramian.io.internal.ParallelWork;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/** Features of a frozen backbone, read from the cache. */
public final class CachedFeatures implements BatchSource {

    private final FeatureRequest request;
    private final List<FeatureCache> caches;
    private final List<ContentKey> keys;
    private final int[] labels;
    private final Placement placement;
    private final Consumer<String> notes;

    /**
     * @param caches one for each of the request's scales; the caller closes them
     * @param keys contents of the images' files
     * @param notes receives messages about files that are cached next to the features
     */
    public CachedFeatures(
            FeatureRequest request,
            List<FeatureCache> caches,
            List<ContentKey> keys,
            int[] labels,
            Placement placement,
            Consumer<String> notes) {
        this.request = request;
        this.caches = List.copyOf(caches);
        this.keys = List.copyOf(keys);
        this.labels = labels.clone();
        this.placement = placement;
        this.notes = notes;
    }

    @Override
    public int count() {
        return labels.length;
    }

    @Override
    public int[] labels() {
        return labels.clone();
    }

    @Override
    public int views() {
        return caches.get(0).recipe().preprocessing().views();
    }

    @Override
    public Optional<PcaCache> components(int branch) {
        int scale = IntStream.range(0, caches.size())
                .filter(s -> request.scales().get(s).branches().contains(branch))
                .findFirst()
                .orElseThrow();
        FeatureCache cache = caches.get(scale);
        String tap = request.tap(branch);
        try {
            String features = cache.recipe().hash() + "\n" + tap + "\n" + placement + "\n" + cache.fingerprint(keys);
            return Optional.of(new PcaCache(cache.folder(), features, notes));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public Stream open(int[] order, int batchSize, Seed seed) {
        return new ReadAhead(order, batchSize);
    }

    /** Batches read one ahead, on a separate thread, while the one before is being used. */
    private final class ReadAhead implements Stream {

        private final int[] order;
        private final int batchSize;
        private final ExecutorService reader = Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(work, "gramian-features");
            thread.setDaemon(true);
            return thread;
        });
        private int submitted;
        private @Nullable Future<Held> ahead;

        ReadAhead(int[] order, int batchSize) {
            this.order = order.clone();
            this.batchSize = batchSize;
            submit();
        }

        private void submit() {
            if (submitted == order.length) {
                ahead = null;
                return;
            }
            int[] images = Arrays.copyOfRange(order, submitted, Math.min(order.length, submitted + batchSize));
            submitted += images.length;
            ahead = reader.submit(() -> {
                Scope scope = Scope.open();
                boolean done = false;
                try {
                    Held held = new Held(read(images), scope);
                    done = true;
                    return held;
                } finally {
                    scope.lend();
                    if (!done) {
                        scope.close();
                    }
                }
            });
        }

        @Override
        public boolean hasNext() {
            return ahead != null;
        }

        @Override
        public Batch next() {
            if (ahead == null) {
                throw new NoSuchElementException("all batches were delivered");
            }
            Held held = ParallelWork.result(ahead);
            submit();
            Scope.adopt(held.scope());
            return held.batch();
        }

        /** Waits for a batch that is being read, which must not continue without its owner. */
        @Override
        public void close() {
            reader.shutdown();
            if (ahead != null) {
                try {
                    ParallelWork.result(ahead).scope().close();
                } catch (RuntimeException e) {
                    // this batch is no longer needed, nor the error that it cannot be read
                }
                ahead = null;
            }
        }
    }

    /** A batch and the scope of its tensors. */
    private record Held(Batch batch, Scope scope) {}

    private Batch read(int[] images) {
        List<ContentKey> wanted = Arrays.stream(images).mapToObj(keys::get).toList();
        Tensor[] maps = new Tensor[request.inputs().size()];
        List<FeatureRequest.Scale> scales = request.scales();
        try {
            for (int s = 0; s < scales.size(); s++) {
                for (int branch : scales.get(s).branches()) {
                    Tensor cached = caches.get(s).features(request.tap(branch), wanted);
                    maps[branch] = FeatureMaps.flat(cached.flatten(0, 1), placement);
                }
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return new Read(List.of(maps), images);
    }

    @SuppressWarnings("ArrayRecordComponent") // lives for one step
    private record Read(List<Tensor> maps, int[] images) implements Batch {}
}
