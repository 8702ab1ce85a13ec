package io.github.gramian.model.config;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.aggregator.DeepTen;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;

/**
 * Residuals to learned codewords with soft assignment: Deep-TEN's encoding layer.
 *
 * @param codewords learned centres
 */
public record EncodingConfig(int codewords) implements AggregatorConfig.Single {

    public EncodingConfig {
        CodebookLength.check("codewords", codewords);
    }

    @Override
    public int length(int channels) {
        return CodebookLength.of("codewords", 1, codewords, channels);
    }

    @Override
    public String layerName() {
        return "encoding";
    }

    @Override
    public Layer build(String prefix, int channels, Placement placement, Seed seed) {
        return DeepTen.unfitted(prefix + "encoding", codewords, channels, placement, seed.child("encoding"));
    }
}
