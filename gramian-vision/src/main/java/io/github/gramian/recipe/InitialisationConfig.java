package io.github.gramian.recipe;

/**
 * Where the weights after the backbone start.
 *
 * @param convolution start of the 1×1 convolutions
 * @param transform start of the first W of each branch; later ones start at random
 * @param classifier start of the classifier: zeros, or the closed-form fit to the descriptors of the untrained network
 */
public record InitialisationConfig(Start convolution, Start transform, ClassifierStart classifier) {

    /** How a linear map starts. */
    public enum Start {
        /** The directions in which the training features vary most. */
        PCA,
        /** Those, rotated at random: every channel then carries a part of all directions. */
        ROTATED_PCA,
        /** Random values. */
        RANDOM
    }

    /** How the classifier starts. */
    public enum ClassifierStart {
        ZEROS,
        RIDGE
    }
}
