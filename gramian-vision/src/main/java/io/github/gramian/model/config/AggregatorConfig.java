package io.github.gramian.model.config;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.ProductPrecision;
import io.github.gramian.layer.aggregator.AveragePooling;
import io.github.gramian.layer.aggregator.MaxPooling;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How feature maps [batch, C, N] become one vector per image, before the vector is normalised. */
public sealed interface AggregatorConfig {

    /** Dimensions of the vector for this number of channels. */
    int length(int channels);

    /** An aggregator that is one layer. */
    sealed interface Single extends AggregatorConfig permits Average, Max, CompactBilinear, CodebookConfig, Custom {

        /** The layer's name in traces and messages. */
        String layerName();

        /**
         * The layer: [batch, channels, N] → [batch, length].
         *
         * @param prefix prefix of the names of its parameters
         * @param seed seed of its random weights
         */
        Layer build(String prefix, int channels, Placement placement, Seed seed);
    }

    /**
     * Channels compared by a kernel, the matrix transformed, its upper triangle.
     *
     * @param aggregation from feature maps to a matrix
     * @param transforms SPD transformations, one after another; may be empty
     * @param products precision of the large matrix products
     * @param root square root of the matrix after the transformations
     */
    record SpdMatrix(
            AggregationConfig aggregation, List<TransformConfig> transforms, ProductPrecision products, RootConfig root)
            implements AggregatorConfig {

        public SpdMatrix {
            transforms = List.copyOf(transforms);
        }

        /** Without a root. */
        public SpdMatrix(AggregationConfig aggregation, List<TransformConfig> transforms, ProductPrecision products) {
            this(aggregation, transforms, products, new RootConfig.None());
        }

        /** With exact products and without a root. */
        public SpdMatrix(AggregationConfig aggregation, List<TransformConfig> transforms) {
            this(aggregation, transforms, ProductPrecision.EXACT);
        }

        @Override
        public int length(int channels) {
            int size = channels;
            for (TransformConfig transform : transforms) {
                if (transform.outputDim() > size) {
                    throw new IllegalArgumentException("transform.outputDim must lie in 1.." + size + " but is "
                            + transform.outputDim() + "; lower it in the recipe");
                }
                size = transform.outputDim();
            }
            long length = (long) size * (size + 1) / 2;
            if (length > Integer.MAX_VALUE) {
                throw new IllegalArgumentException("a matrix of " + size + " channels has " + length
                        + " dimensions, more than can be classified; lower convolution or add a transform");
            }
            return (int) length;
        }

        /** The size of the matrix that is vectorised. */
        public int matrixSize(int channels) {
            return transforms.isEmpty()
                    ? channels
                    : transforms.get(transforms.size() - 1).outputDim();
        }
    }

    /** The mean over positions: what most networks do, and the baseline. */
    record Average() implements Single {
        @Override
        public int length(int channels) {
            return channels;
        }

        @Override
        public String layerName() {
            return "average pooling";
        }

        @Override
        public Layer build(String prefix, int channels, Placement placement, Seed seed) {
            return new AveragePooling();
        }
    }

    /** The largest activation of each channel over positions. */
    record Max() implements Single {

        @Override
        public int length(int channels) {
            return channels;
        }

        @Override
        public String layerName() {
            return "max pooling";
        }

        @Override
        public Layer build(String prefix, int channels, Placement placement, Seed seed) {
            return new MaxPooling();
        }
    }

    /**
     * Bilinear pooling in few dimensions, by a tensor sketch.
     *
     * @param dimension dimensions of the sketch; 8192 preserve as much as 512², powers of two are fastest
     * @param sketchSeed seed of the hashes; it is part of the model and independent of the training's seed
     */
    record CompactBilinear(int dimension, long sketchSeed) implements Single {

        private static final int LARGEST = 1 << 20;

        public CompactBilinear {
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
            return new io.github.gramian.layer.aggregator.CompactBilinear(
                    channels, dimension, placement, new Seed(sketchSeed));
        }
    }

    /**
     * An {@link Aggregator} of the user's own, found by name.
     *
     * @param name name of the aggregator
     * @param settings values of its settings, by the names in its settings record
     */
    record Custom(String name, Map<String, String> settings) implements Single {

        public Custom {
            settings = Collections.unmodifiableMap(new TreeMap<>(settings)); // in one order wherever it is written
        }

        @Override
        public int length(int channels) {
            return CustomAggregator.of(Aggregator.named(name), settings).length(channels);
        }

        @Override
        public String layerName() {
            return name;
        }

        @Override
        public Layer build(String prefix, int channels, Placement placement, Seed seed) {
            return CustomAggregator.of(Aggregator.named(name), settings).build(prefix, channels, placement, seed);
        }
    }
}
