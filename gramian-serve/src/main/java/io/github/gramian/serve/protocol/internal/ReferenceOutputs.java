package io.github.gramian.serve.protocol.internal;

import io.github.gramian.certainty.internal.CertaintyRequest;
import io.github.gramian.certainty.internal.ModelCertainty;

/**
 * The outputs that not every model gives: those that need calibration images, and those that need an index of photographs.
 *
 * @param reference what the model stores about its calibration images
 * @param neighbours whether the server has an index that was built with the model
 */
public record ReferenceOutputs(ModelCertainty reference, boolean neighbours) {

    /** Whether the model gives the novelty of an image. */
    public boolean novelty() {
        return reference.novelty().isPresent();
    }

    /** Whether the model gives sets of classes. */
    public boolean sets() {
        return reference.sets().isPresent();
    }

    /** Refuses a request that the model cannot answer. */
    public void require(CertaintyRequest request) {
        required(() -> request.require(reference));
    }

    /** Refuses a request for the novelty of images if the model does not give it. */
    public void requireNovelty() {
        required(reference::requireNovelty);
    }

    /** Refuses a request for sets of classes if the model does not give them. */
    public void requireSets() {
        required(reference::requireSets);
    }

    private static void required(Runnable check) {
        try {
            check.run();
        } catch (IllegalArgumentException missing) {
            throw new RequestException(400, String.valueOf(missing.getMessage()));
        }
    }

    private void requireNeighbours() {
        if (!neighbours) {
            throw new RequestException(
                    400,
                    "the output 'neighbours' needs an index of photographs that was built with this model; start the server"
                            + " with --index INDEX");
        }
    }

    /** Whether a request that names no outputs gets this one. */
    boolean isGiven(OutputTensor output, boolean coverage) {
        return switch (output) {
            case NOVELTY -> novelty();
            case SET -> coverage;
            case NEIGHBOURS -> false;
            default -> true;
        };
    }

    void require(OutputTensor output) {
        if (output == OutputTensor.NOVELTY) {
            requireNovelty();
        } else if (output == OutputTensor.SET) {
            requireSets();
        } else if (output == OutputTensor.NEIGHBOURS) {
            requireNeighbours();
        }
    }
}
