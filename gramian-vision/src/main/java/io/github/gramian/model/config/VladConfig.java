package io.github.gramian.model.config;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.aggregator.Vlad;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;

/**
 * Residuals to the nearest of some centres that k-means finds among training features: VLAD.
 *
 * @param centres of k-means
 * @param intraNormalisation whether the sum of each centre's residuals gets unit length
 */
public record VladConfig(int centres, boolean intraNormalisation) implements AggregatorConfig.Single {

    public VladConfig {
        CodebookLength.check("centres", centres);
    }

    @Override
    public int length(int channels) {
        return CodebookLength.of("centres", 1, centres, channels);
    }

    @Override
    public String layerName() {
        return "VLAD";
    }

    @Override
    public Layer build(String prefix, int channels, Placement placement, Seed seed) {
        return Vlad.unfitted(prefix + "vlad", centres, channels, intraNormalisation, placement, seed.child("vlad"));
    }
}
