package io.github.gramian.recipe;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;

/**
 * Gradient descent in one stage. In a recipe the keys of {@link Batches}, {@link Pace} and {@link Regularisation} are at the same
 * level as the others.
 *
 * @param batches number of epochs and images per step
 * @param rates learning rates of the parts of the network
 * @param pace how rates change, and when the stage ends
 * @param momentum momentum of the gradient descent
 * @param regularisation settings against overfitting
 * @param keep which epoch's weights the stage ends with
 * @param trainFrom first layer of the backbone that is trained; null if the backbone is frozen
 */
public record StageConfig(
        @JsonUnwrapped Batches batches,
        Rates rates,
        @JsonUnwrapped Pace pace,
        double momentum,
        @JsonUnwrapped Regularisation regularisation,
        Keep keep,
        @Nullable String trainFrom) {

    private static final double SMALLEST_MIXUP = 0.05;
    private static final double LARGEST_MIXUP = 2;

    /**
     * How many images a stage sees.
     *
     * @param epochs maximum number of epochs; 0 skips the stage
     * @param batch images per batch
     * @param accumulate number of batches whose gradients are summed before a step
     */
    public record Batches(int epochs, int batch, int accumulate) {

        private static final int MAX = 1_000_000;

        public Batches {
            if (epochs < 0 || epochs > 100_000) {
                throw new IllegalArgumentException("epochs must lie in 0..100000 but is " + epochs);
            }
            if (batch < 1 || accumulate < 1 || batch > MAX || accumulate > MAX) {
                throw new IllegalArgumentException(
                        "batch and accumulate must lie in 1.." + MAX + " but are " + batch + " and " + accumulate);
            }
        }
    }

    /**
     * How rates change over a stage, and when it ends before its last epoch.
     *
     * @param schedule change of the learning rates over time
     * @param warmUp number of steps over which rates rise from zero
     * @param patience number of epochs without a better validation loss after which a plateau lowers the rates
     * @param stopAfter number of epochs without a better validation loss after which the stage ends; 0 for never
     */
    public record Pace(Schedule schedule, int warmUp, int patience, int stopAfter) {

        public Pace {
            if (warmUp < 0 || patience < 0 || stopAfter < 0) {
                throw new IllegalArgumentException("warmUp, patience and stopAfter must be 0 or more");
            }
        }
    }

    /**
     * What keeps a network from overfitting.
     *
     * @param weightDecay weight decay of the parameters whose manifold allows it
     * @param labelSmoothing α of the loss
     * @param mixup α of the mixture of images in pairs, such as 0.2; 0 for none
     * @param ema decay of the running mean of the weights that the stage ends with, such as 0.999; 0 for none
     */
    public record Regularisation(double weightDecay, double labelSmoothing, double mixup, double ema) {

        public Regularisation {
            if (!(weightDecay >= 0 && weightDecay < 1)) {
                throw new IllegalArgumentException("weightDecay must lie in [0, 1) but is " + weightDecay);
            }
            if (!(labelSmoothing >= 0 && labelSmoothing < 1)) {
                throw new IllegalArgumentException("labelSmoothing must lie in [0, 1) but is " + labelSmoothing);
            }
            if (mixup != 0 && !(mixup >= SMALLEST_MIXUP && mixup <= LARGEST_MIXUP)) {
                throw new IllegalArgumentException("mixup must be 0 for none or lie in " + SMALLEST_MIXUP + ".."
                        + LARGEST_MIXUP + " but is " + mixup);
            }
            if (!(ema >= 0 && ema < 1)) {
                throw new IllegalArgumentException(
                        "ema must be 0 for none or lie below 1 but is " + ema + "; 0.99 to 0.9999 are common");
            }
        }
    }

    /** Which weights a stage ends with. */
    public enum Keep {
        /**
         * Those of the epoch with the smallest validation error if there are at least 500 validation images, otherwise with
         * the smallest validation loss. Without validation images, those of the last epoch.
         */
        BEST,
        /** Those of the last epoch: for a schedule that ends at rate zero, and if there are few validation images. */
        LAST
    }

    /** How learning rates change over a stage, after the warm-up. */
    public enum Schedule {
        CONSTANT,
        /** Half a cosine down to zero over all epochs. */
        COSINE,
        /** A tenth whenever the validation loss stops falling: the paper's. */
        PLATEAU
    }

    /**
     * Learning rates and gradient clips.
     *
     * @param classifier rate of the weights of the last layer, which is divided by the number of branches
     * @param bias rate of the bias of the last layer
     * @param convolution rate of the 1×1 convolutions
     * @param convolutionClip maximum gradient norm of a 1×1 convolution
     * @param transform rate of W on its manifold
     * @param transformClip maximum gradient norm of a W
     * @param backbone rate of the trainable layers of the backbone
     * @param backboneClip maximum gradient norm of a weight of the backbone
     * @param layerDecay factor of the backbone's rate from each block to the block before it; 1 for one rate
     */
    public record Rates(
            double classifier,
            double bias,
            double convolution,
            double convolutionClip,
            double transform,
            double transformClip,
            double backbone,
            double backboneClip,
            double layerDecay) {

        public Rates {
            for (double rate : new double[] {classifier, bias, convolution, transform, backbone}) {
                if (!(rate >= 0 && rate < Double.POSITIVE_INFINITY)) {
                    throw new IllegalArgumentException(
                            "rates must be 0 or more but one is " + rate + "; 0 keeps a part as it is");
                }
            }
            for (double clip : new double[] {convolutionClip, transformClip, backboneClip}) {
                if (!(clip > 0)) {
                    throw new IllegalArgumentException(
                            "the clips of rates must be positive but one is " + clip + "; a large one cuts nothing");
                }
            }
            if (!(layerDecay > 0 && layerDecay <= 1)) {
                throw new IllegalArgumentException("rates.layerDecay must lie in (0, 1] but is " + layerDecay
                        + "; 1 gives all blocks of the backbone one rate");
            }
        }
    }

    public StageConfig {
        if (!(momentum >= 0 && momentum < 1)) {
            throw new IllegalArgumentException("momentum must lie in [0, 1) but is " + momentum);
        }
    }

    /** Whether the stage is run at all. */
    public boolean runs() {
        return batches.epochs() > 0;
    }

    /** The same stage cut to a single epoch in batches of a size, which ends with its last weights: to measure it. */
    public StageConfig oneEpoch(int batchSize) {
        return new StageConfig(
                new Batches(1, batchSize, batches.accumulate()),
                rates,
                pace,
                momentum,
                regularisation,
                Keep.LAST,
                trainFrom);
    }
}
