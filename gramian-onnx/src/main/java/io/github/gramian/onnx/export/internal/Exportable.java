package io.github.gramian.onnx.export.internal;

import io.github.gramian.layer.Parameter;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.CodebookConfig;
import io.github.gramian.model.config.RootConfig;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.List;

/** Refuses what standard ONNX operators cannot express. The message names it and what to use instead. */
public final class Exportable {

    /** The table of pairs of compact bilinear pooling has at least the square of this many entries. */
    private static final int MAX_SKETCHED_CHANNELS = 4096;

    private Exportable() {}

    public static void check(Network network) throws ModelException {
        List<BranchConfig> branches = network.config().branches();
        for (int b = 0; b < branches.size(); b++) {
            check("branch " + (b + 1), branches.get(b), network.inputChannels().get(b));
        }
        for (Parameter parameter : network.parameters()) {
            if (parameter.name().endsWith(".seen") && HostCopy.floats(parameter.value())[0] != 1) {
                throw new ModelException(
                        "the running mean "
                                + parameter.name().replace(".seen", ".mean")
                                + " has seen no batch, so that the network would use that of each batch; train the model first");
            }
        }
    }

    private static void check(String name, BranchConfig branch, int inputChannels) throws ModelException {
        if (branch.aggregator() instanceof AggregatorConfig.SpdMatrix matrix) {
            check(name, matrix);
            if (branch.descriptor().logarithmFloor() > 0) {
                throw refused(
                        name,
                        "the matrix logarithm (descriptor.logarithmFloor)",
                        "it needs eigenvalues; set logarithmFloor to 0 and train again, with root: newton-schulz for example");
            }
        } else if (branch.aggregator() instanceof CodebookConfig.RandomEncoder) {
            throw refused(
                    name, "the aggregator random-encoder", "it solves linear systems; use encoding or fisher instead");
        } else if (branch.aggregator() instanceof AggregatorConfig.Custom custom) {
            throw refused(
                    name,
                    "the custom aggregator '" + custom.name() + "'",
                    "only its own code knows what it computes; use a built-in aggregator instead");
        } else if (branch.aggregator() instanceof AggregatorConfig.CompactBilinear
                && branch.channels(inputChannels) > MAX_SKETCHED_CHANNELS) {
            throw refused(
                    name,
                    "compact-bilinear of " + branch.channels(inputChannels) + " channels",
                    "its table would be too large; put a convolution to at most " + MAX_SKETCHED_CHANNELS
                            + " channels before it");
        }
    }

    private static void check(String name, AggregatorConfig.SpdMatrix matrix) throws ModelException {
        for (TransformConfig transform : matrix.transforms()) {
            if (transform.activation() instanceof TransformConfig.Activation.EigenvalueRectifier) {
                throw refused(
                        name, "the activation reeig", "it needs eigenvalues; use relu or none instead and train again");
            }
        }
        if (matrix.root() instanceof RootConfig.Exact) {
            throw refused(name, "root: exact", "it needs eigenvalues; use root: newton-schulz instead and train again");
        }
    }

    private static ModelException refused(String branch, String what, String instead) {
        return new ModelException(branch + " has " + what + ", which ONNX's operators cannot express: " + instead);
    }
}
