package io.github.gramian.serve.protocol.internal;

import io.github.gramian.model.internal.ModelReference;

/**
 * The outputs for which a model needs a reference of its training images. Models of earlier versions have none.
 *
 * @param novelty whether the model gives the novelty of an image
 * @param sets whether it gives sets of classes
 */
public record ReferenceOutputs(boolean novelty, boolean sets) {

    /** Of a model with this reference. */
    public static ReferenceOutputs of(ModelReference reference) {
        return new ReferenceOutputs(
                reference.novelty().isPresent(), reference.sets().isPresent());
    }

    /** Refuses a request for the novelty of images if the model does not give it. */
    public void requireNovelty() {
        if (!novelty) {
            throw new RequestException(
                    400,
                    "the model has no reference of its training images, which novelty needs: it comes from an earlier"
                            + " version; train it again");
        }
    }

    /** Refuses a request for sets of classes if the model does not give them. */
    public void requireSets() {
        if (!sets) {
            throw new RequestException(
                    400,
                    "the model has no calibration scores, which sets of classes need: it comes from an earlier"
                            + " version, or its head was trained without validation images; train it again with validation"
                            + " images");
        }
    }

    boolean has(OutputTensor output) {
        return switch (output) {
            case NOVELTY -> novelty;
            case SET -> sets;
            default -> true;
        };
    }

    void require(OutputTensor output) {
        if (output == OutputTensor.NOVELTY) {
            requireNovelty();
        } else if (output == OutputTensor.SET) {
            requireSets();
        }
    }
}
