package io.github.gramian.bench.measure;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.stage.internal.StageTrial;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** The training that benchmarks run: the default recipe, images of 224 pixels, 100 classes in turn. */
final class DefaultTraining {

    static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    static final Recipe RECIPE = Recipe.standard();
    static final int SIZE = 224;
    static final int CLASSES = 100;

    private DefaultTraining() {}

    /** A network with random weights after a backbone. */
    static Network network(Backbone backbone) {
        NetworkConfig config = RECIPE.network().on(backbone);
        return new Network(
                config, FeatureMaps.channels(backbone, NetworkFeatures.of(config)), CLASSES, FLOAT, new Seed(1));
    }

    /** The cache of some images' features, as many as the files, which may repeat. */
    static SyntheticCache cache(Path folder, Backbone backbone, List<Path> files) throws IOException {
        Preprocessing views = RECIPE.views().test(SIZE, backbone.normalisation());
        return SyntheticCache.fill(folder, backbone, views, files);
    }

    /** Stage 1 on everything in a cache, an epoch at a time. */
    static StageTrial stage1(int batch, Network network, SyntheticCache cache, Path folder) throws IOException {
        return StageTrial.cached(
                RECIPE.stage1().oneEpoch(batch),
                network,
                cache.features(),
                cache.keys(),
                labels(cache.keys().size()),
                folder);
    }

    /** The time of one more epoch. */
    static double epochMillis(StageTrial trial) {
        try {
            return 1e3 * trial.epochSeconds();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static int[] labels(int images) {
        return IntStream.range(0, images).map(i -> i % CLASSES).toArray();
    }

    static List<Path> repeated(List<Path> files, int count) {
        if (files.isEmpty()) {
            throw new IllegalArgumentException("the benchmark needs at least one image file");
        }
        return IntStream.range(0, count)
                .mapToObj(i -> files.get(i % files.size()))
                .toList();
    }
}
