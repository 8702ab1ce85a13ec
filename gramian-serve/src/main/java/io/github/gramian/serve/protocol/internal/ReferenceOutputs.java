package io.github.gramian.serve.protocol.internal;

import io.github.gramian.model.internal.ModelReference;

/**
 * The outputs that not every model gives: those that need a reference of its training images, which models of earlier versions
 * do not have, and those that need an index of photographs.
 *
 * @param novelty whether the model gives the novelty of an image
 * @param sets whether it gives sets of classes
 * @param neighbours whether the server has an index that was built with the model
 */
public record ReferenceOutputs(boolean novelty, boolean sets, boolean neighbours) {

    /** Of a model with this reference. */
    public static ReferenceOutputs of(ModelReference reference, boolean neighbours) {
        return new ReferenceOutputs(
                reference.novelty().isPresent(), reference.sets().isPresent(), neighbours);
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
            case NOVELTY -> novelty;
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
