package io.github.gramian.train;

import io.github.gramian.backbone.cache.CacheException;
import io.github.gramian.backbone.cache.ContentKey;
import io.github.gramian.backbone.cache.FeatureCache;
import io.github.gramian.model.FeatureMaps;
import io.github.gramian.model.NetworkConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import org.bytedeco.pytorch.Tensor;

/** Features of a frozen backbone, read from the cache. */
final class CachedFeatures implements BatchSource {

    private final NetworkConfig network;
    private final List<FeatureCache> caches;
    private final List<ContentKey> keys;
    private final int[] labels;
    private final Placement placement;

    /**
     * @param caches one for each of the network's scales; the caller closes them
     * @param keys contents of the images' files
     */
    CachedFeatures(
            NetworkConfig network,
            List<FeatureCache> caches,
            List<ContentKey> keys,
            int[] labels,
            Placement placement) {
        this.network = network;
        this.caches = List.copyOf(caches);
        this.keys = List.copyOf(keys);
        this.labels = labels.clone();
        this.placement = placement;
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
    public Stream open(int[] order, int batchSize, Seed seed) {
        return new Stream() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < order.length;
            }

            @Override
            public Batch next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("all batches were delivered");
                }
                int[] images = Arrays.copyOfRange(order, next, Math.min(order.length, next + batchSize));
                next += images.length;
                return read(images);
            }

            @Override
            public void close() {}
        };
    }

    private Batch read(int[] images) {
        List<ContentKey> wanted = Arrays.stream(images).mapToObj(keys::get).toList();
        Tensor[] maps = new Tensor[network.branches().size()];
        List<NetworkConfig.Scale> scales = network.scales();
        try {
            for (int s = 0; s < scales.size(); s++) {
                for (int branch : scales.get(s).branches()) {
                    Tensor kept = caches.get(s)
                            .features(network.branches().get(branch).tap(), wanted);
                    maps[branch] = FeatureMaps.flat(kept.flatten(0, 1), placement);
                }
            }
        } catch (CacheException failure) {
            throw new UncheckedIOException(failure);
        }
        return new Read(List.of(maps), images);
    }

    @SuppressWarnings("ArrayRecordComponent") // lives for one step
    private record Read(List<Tensor> maps, int[] images) implements Batch {}
}
