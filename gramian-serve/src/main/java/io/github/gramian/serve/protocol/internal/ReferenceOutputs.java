package io.github.gramian.serve.protocol.internal;

import io.github.gramian.certainty.internal.CertaintyRequest;
import io.github.gramian.certainty.internal.ModelCertainty;

/**
 * The outputs that not every model gives: those that need calibration images or classes, and those that need an index of
 * photographs.
 *
 * @param reference what the model stores about its calibration images
 * @param defects whether the model knows good parts only, and answers good or defect
 * @param neighbours whether the server has an index that was built with the model
 */
public record ReferenceOutputs(ModelCertainty reference, boolean defects, boolean neighbours) {

    /** Whether the model gives the novelty of an image. */
    public boolean novelty() {
        return defects || reference.novelty().isPresent();
    }

    /** Whether the model gives sets of classes. */
    public boolean sets() {
        return reference.sets().isPresent();
    }

    /** Refuses a request that the model cannot answer. */
    public void require(CertaintyRequest request) {
        if (request.coverage() != null || request.unknown() != null) {
            requireClasses("'coverage' and 'unknown'");
        }
        required(() -> request.require(reference));
    }

    /** Refuses a request for sets of classes if the model does not give them. */
    public void requireSets() {
        requireClasses("sets");
        required(reference::requireSets);
    }

    private void requireClasses(String asked) {
        if (defects) {
            throw new RequestException(
                    400,
                    asked
                            + " are for models of classes, and this model knows good parts only; its answers are the label"
                            + " good or defect, the novelty, and as the descriptor the score");
        }
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
            case PROBABILITIES -> !defects;
            case NOVELTY -> novelty();
            case SET -> coverage;
            case NEIGHBOURS -> false;
            default -> true;
        };
    }

    void require(OutputTensor output) {
        if (output == OutputTensor.PROBABILITIES) {
            requireClasses("probabilities");
        } else if (output == OutputTensor.NOVELTY && !novelty()) {
            required(reference::requireNovelty);
        } else if (output == OutputTensor.SET) {
            requireSets();
        } else if (output == OutputTensor.NEIGHBOURS) {
            requireNeighbours();
        }
    }
}
