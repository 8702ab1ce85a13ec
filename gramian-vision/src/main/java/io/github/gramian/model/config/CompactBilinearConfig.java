package io.github.gramian.model.config;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.aggregator.CompactBilinear;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;

/**
 * Bilinear pooling in few dimensions, by a tensor sketch.
 *
 * @param dimension of the sketch; 8192 keeps as much as 512², powers of two are fastest
 * @param sketchSeed of the hashes; a part of the model, so a seed of its own and not that of the training
 */
public record CompactBilinearConfig(int dimension, long sketchSeed) implements AggregatorConfig.Single {

    private static final int LARGEST = 1 << 20;

    public CompactBilinearConfig {
        if (dimension < 1 || dimension > LARGEST) {
            throw new IllegalArgumentException(
                    "compact-bilinear.dimension must lie in 1.." + LARGEST + " but is " + dimension);
        }
    }

    @Override
    public int length(int channels) {
        return dimension;
    }

    @Override
    public String layerName() {
        return "compact bilinear";
    }

    @Override
    public Layer build(String prefix, int channels, Placement placement, Seed seed) {
        return new CompactBilinear(channels, dimension, placement, new Seed(sketchSeed));
    }
}
