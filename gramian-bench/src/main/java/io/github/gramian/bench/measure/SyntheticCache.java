package io.github.gramian.bench.measure;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.feature.internal.ContentKey;
import io.github.gramian.feature.internal.FeatureCache;
import io.github.gramian.feature.internal.FeatureExtraction;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.feature.internal.FeatureRecipe;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.TensorType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bytedeco.pytorch.Tensor;

/**
 * A feature cache to measure with, filled as any other.
 *
 * @param features the open cache
 * @param keys of the images, in the order of their files
 */
record SyntheticCache(FeatureCache features, List<ContentKey> keys) implements AutoCloseable {

    private static final int BATCH = 16;

    static SyntheticCache fill(Path folder, Backbone backbone, Preprocessing views, List<Path> files)
            throws IOException {
        List<String> taps = List.of(RandomFeatures.TAP.name());
        FeatureRecipe recipe = FeatureRecipe.of(backbone, taps, views, new Seed(0), TensorType.F16);
        FeatureExtraction extraction = new FeatureExtraction(
                folder, recipe, backbone, new ImageDecoder(ImageLimits.DEFAULT), LoaderSettings.defaults(BATCH));
        FeatureExtraction.Plan plan = extraction.plan(files);
        extraction.run(plan, (done, total) -> {});
        List<ContentKey> keys = plan.keys().stream().map(Optional::orElseThrow).toList();
        return new SyntheticCache(FeatureCache.open(folder, recipe), keys);
    }

    /** All features in the order of the keys, [batch, C, N] each, in the caller's scope. */
    List<Tensor> batches(int size, Placement placement) throws IOException {
        List<Tensor> batches = new ArrayList<>();
        for (int start = 0; start < keys.size(); start += size) {
            List<ContentKey> some = keys.subList(start, Math.min(keys.size(), start + size));
            Tensor stored = features.features(RandomFeatures.TAP.name(), some);
            batches.add(FeatureMaps.flat(stored.flatten(0, 1), placement));
        }
        return batches;
    }

    @Override
    public void close() throws IOException {
        features.close();
    }
}
