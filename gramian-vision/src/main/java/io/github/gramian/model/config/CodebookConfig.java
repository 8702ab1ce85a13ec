package io.github.gramian.model.config;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.aggregator.DeepTen;
import io.github.gramian.layer.aggregator.FisherVector;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;

/** Aggregators that describe an image by its distances from a codebook, which is fitted to training features. */
public sealed interface CodebookConfig extends AggregatorConfig.Single {

    /**
     * Gradients of a mixture of normal distributions that is fitted to training features: the Fisher vector.
     *
     * @param components number of normal distributions in the mixture
     */
    record Fisher(int components) implements CodebookConfig {

        public Fisher {
            checkSize("components", components);
        }

        @Override
        public int length(int channels) {
            return CodebookConfig.length("components", 2, components, channels);
        }

        @Override
        public String layerName() {
            return "Fisher vector";
        }

        @Override
        public Layer build(String prefix, int channels, Placement placement, Seed seed) {
            return FisherVector.unfitted(prefix + "fisher", components, channels, placement, seed.child("fisher"));
        }
    }

    /**
     * Residuals to the nearest of some centres that k-means finds among training features: VLAD.
     *
     * @param centres number of centres
     * @param intraNormalisation whether the sum of each centre's residuals gets unit length
     */
    record Vlad(int centres, boolean intraNormalisation) implements CodebookConfig {

        public Vlad {
            checkSize("centres", centres);
        }

        @Override
        public int length(int channels) {
            return CodebookConfig.length("centres", 1, centres, channels);
        }

        @Override
        public String layerName() {
            return "VLAD";
        }

        @Override
        public Layer build(String prefix, int channels, Placement placement, Seed seed) {
            return io.github.gramian.layer.aggregator.Vlad.unfitted(
                    prefix + "vlad", centres, channels, intraNormalisation, placement, seed.child("vlad"));
        }
    }

    /**
     * Residuals to learned codewords with soft assignment: Deep-TEN's encoding layer.
     *
     * @param codewords number of learned centres
     */
    record Encoding(int codewords) implements CodebookConfig {

        public Encoding {
            checkSize("codewords", codewords);
        }

        @Override
        public int length(int channels) {
            return CodebookConfig.length("codewords", 1, codewords, channels);
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

    /**
     * Decoders of random auto-encoders that are fitted to each image, as RADAM has them.
     *
     * @param hidden hidden units per encoder
     * @param encoders number of encoders, whose decoders are summed
     * @param ridge penalty of the decoders' regression
     */
    record RandomEncoder(int hidden, int encoders, double ridge) implements CodebookConfig {

        private static final int MAX_ENCODERS = 1024;

        public RandomEncoder {
            checkSize("hidden", hidden);
            if (encoders < 1 || encoders > MAX_ENCODERS) {
                throw new IllegalArgumentException("encoders must lie in 1.." + MAX_ENCODERS + " but is " + encoders);
            }
            if (!(ridge > 0 && ridge < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException("ridge must be positive but is " + ridge);
            }
        }

        @Override
        public int length(int channels) {
            return CodebookConfig.length("hidden", 1, hidden, channels);
        }

        @Override
        public String layerName() {
            return "random encoder";
        }

        @Override
        public Layer build(String prefix, int channels, Placement placement, Seed seed) {
            return io.github.gramian.layer.aggregator.RandomEncoder.random(
                    prefix + "encoder",
                    new long[] {encoders, hidden, channels},
                    ridge,
                    placement,
                    seed.child("encoder"));
        }
    }

    private static void checkSize(String field, int size) {
        int max = 65_536;
        if (size < 1 || size > max) {
            throw new IllegalArgumentException(field + " must lie in 1.." + max + " but is " + size);
        }
    }

    /** Dimensions of the vector: this number of values per codeword and channel. */
    private static int length(String field, int values, int words, int channels) {
        long length = (long) values * words * channels;
        if (length > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(words + " " + field + " for " + channels + " channels make " + length
                    + " dimensions, more than can be classified; lower " + field + " or convolution");
        }
        return (int) length;
    }
}
