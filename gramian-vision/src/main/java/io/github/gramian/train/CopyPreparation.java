package io.github.gramian.train;

import io.github.gramian.feature.internal.FeatureCache;
import io.github.gramian.feature.internal.FeatureExtraction;
import io.github.gramian.feature.internal.FeatureRequest;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.internal.ScaleExtraction;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Computes the features of the copies of training images that the classifier is fitted to as well, if they are not in the cache. */
final class CopyPreparation {

    private final TrainingContext context;
    private final NetworkConfig network;
    private final FrozenFeatures frozen;
    private final Path cache;

    CopyPreparation(TrainingContext context, NetworkConfig network, FrozenFeatures frozen) {
        this.context = context;
        this.network = network;
        this.frozen = frozen;
        this.cache = context.options().cache();
    }

    /**
     * Prepares all copies that the recipe asks for.
     *
     * @param files readable images
     * @param copies receives one list of caches per copy, which the caller closes
     */
    void run(List<Path> files, List<List<FeatureCache>> copies) throws IOException {
        List<FeatureRequest.Scale> scales = NetworkFeatures.of(network).scales();
        for (int copy = 0; copy < context.recipe().views().copyCount(); copy++) {
            List<FeatureCache> caches = new ArrayList<>();
            copies.add(caches);
            for (FeatureRequest.Scale scale : scales) {
                Preprocessing view = context.recipe()
                        .views()
                        .copies(scale.size(), frozen.backbone().normalisation())
                        .get(copy);
                // each copy draws its own changes
                ScaleExtraction extraction =
                        ScaleExtraction.of(frozen.backbone(), scale.taps(), view, new Seed(copy + 1L), cache);
                compute(extraction.extraction(), files);
                caches.add(FeatureCache.open(cache, extraction.recipe()));
            }
        }
    }

    private void compute(FeatureExtraction extraction, List<Path> files) throws IOException {
        context.cancellation().check();
        extraction.run(extraction.plan(files), (done, total) -> {
            context.options().listener().onEvent(new TrainingEvent.Features(done, total));
            context.cancellation().check();
        });
    }
}
