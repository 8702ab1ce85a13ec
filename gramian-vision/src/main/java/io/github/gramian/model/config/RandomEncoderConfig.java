package io.github.gramian.model.config;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.aggregator.RandomEncoder;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;

/**
 * Decoders of random auto-encoders that are fitted to each image, as RADAM has them.
 *
 * @param hidden units of an encoder
 * @param encoders whose decoders are summed up
 * @param ridge penalty of the decoders' regression
 */
public record RandomEncoderConfig(int hidden, int encoders, double ridge) implements AggregatorConfig.Single {

    private static final int MAX_ENCODERS = 1024;

    public RandomEncoderConfig {
        CodebookLength.check("hidden", hidden);
        if (encoders < 1 || encoders > MAX_ENCODERS) {
            throw new IllegalArgumentException("encoders must lie in 1.." + MAX_ENCODERS + " but is " + encoders);
        }
        if (!(ridge > 0 && ridge < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("ridge must be positive but is " + ridge);
        }
    }

    @Override
    public int length(int channels) {
        return CodebookLength.of("hidden", 1, hidden, channels);
    }

    @Override
    public String layerName() {
        return "random encoder";
    }

    @Override
    public Layer build(String prefix, int channels, Placement placement, Seed seed) {
        return RandomEncoder.random(
                prefix + "encoder", new long[] {encoders, hidden, channels}, ridge, placement, seed.child("encoder"));
    }
}
