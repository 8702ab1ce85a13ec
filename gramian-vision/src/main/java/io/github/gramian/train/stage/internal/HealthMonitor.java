package io.github.gramian.train.stage.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.layer.Parameter;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.model.Network;
import io.github.gramian.model.internal.Branch;
import io.github.gramian.model.internal.Trace;
import io.github.gramian.run.Health;
import io.github.gramian.run.TrainingException;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/** Checks a network at the end of every epoch, and names the first layer that gives NaN or infinity. */
final class HealthMonitor {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final double MANY_DEAD = 0.5;
    private static final double LOOSE = 1e-3;
    private static final int IMAGES = 8;

    private final Network network;
    private final List<Parameter> parameters;

    /** @param parameters all that are trained */
    HealthMonitor(Network network, List<Parameter> parameters) {
        this.network = network;
        this.parameters = List.copyOf(parameters);
    }

    /**
     * The health of the network on a few training images at the end of an epoch.
     *
     * @throws TrainingException if its last step has broken the network; no batch follows to show it
     */
    Health examine(Stage stage, StageState state) {
        BatchSource training = stage.training();
        int[] few = Arrays.copyOf(training.inOrder(), Math.min(IMAGES, training.count()));
        try (Scope scope = Scope.open();
                BatchSource.Stream stream =
                        training.open(few, few.length, stage.seed().child("health"))) {
            List<Tensor> maps = stream.next().maps();
            if (!sound(maps)) {
                throw diagnose(maps, stage.number(), state.epoch(), state.step());
            }
            return examine(maps);
        }
    }

    /** The health of the network on some feature maps; gradients are those that the last step left. */
    Health examine(List<Tensor> maps) {
        try (Scope scope = Scope.open()) {
            Findings findings = new Findings();
            for (int b = 0; b < network.branches().size(); b++) {
                examine(Branch.of(network).get(b), maps.get(b), findings);
            }
            for (Parameter parameter : parameters) {
                if (parameter.manifold() instanceof Stiefel stiefel) {
                    findings.orthonormality = largest(findings.orthonormality, stiefel.violation(parameter.value()));
                }
                if (parameter.trainable() && parameter.role() != Parameter.Role.BACKBONE) {
                    findings.gradients.put(
                            parameter.name(), parameter.gradient().norm().item_double());
                }
            }
            return findings.toHealth();
        }
    }

    private static void examine(Branch branch, Tensor maps, Findings findings) {
        Trace trace = branch.trace(maps);
        Tensor compared = trace.compared();
        Tensor alive = compared.abs().amax(new long[] {0, 2}, false).gt(scalar(0.0));
        findings.dead = largest(findings.dead, 1 - DOUBLE.place(alive).mean().item_double());
        branch.kernel().flatMap(kernel -> kernel.kernel().widths(compared)).ifPresent(widths -> {
            findings.sigmaSmallest =
                    smallest(findings.sigmaSmallest, widths.min().item_double());
            findings.sigmaLargest = largest(findings.sigmaLargest, widths.max().item_double());
        });
        trace.kernel().ifPresent(K -> {
            double[] ends = ends(K);
            findings.kernelSmallest = smallest(findings.kernelSmallest, ends[0]);
            findings.kernelCondition = largest(findings.kernelCondition, ends[1]);
        });
        for (Trace.Transformed transformed : trace.transforms()) {
            double[] ends = ends(transformed.matrices());
            findings.transformedSmallest = smallest(findings.transformedSmallest, ends[0]);
            findings.transformedCondition = largest(findings.transformedCondition, ends[1]);
            transformed.activated().ifPresent(activated -> {
                double share = DOUBLE.place(eigenvalues(activated).lt(scalar(-1e-9)))
                        .mean()
                        .item_double();
                findings.negative = largest(findings.negative, share);
            });
        }
    }

    /** The smallest eigenvalue, and the largest condition number. */
    private static double[] ends(Tensor matrices) {
        Tensor values = eigenvalues(matrices);
        Tensor low = values.select(1, 0);
        Tensor high = values.select(1, values.size(1) - 1);
        Tensor condition = high.div(low.clamp_min(scalar(1e-300)));
        return new double[] {low.min().item_double(), condition.max().item_double()};
    }

    private static Tensor eigenvalues(Tensor matrices) {
        return torch.linalg_eigvalsh(DOUBLE.place(matrices));
    }

    private static Double largest(@Nullable Double known, double more) {
        return known == null ? (Double) more : (Double) Math.max(known, more);
    }

    private static Double smallest(@Nullable Double known, double more) {
        return known == null ? (Double) more : (Double) Math.min(known, more);
    }

    private static final class Findings {
        private @Nullable Double dead;
        private @Nullable Double sigmaSmallest;
        private @Nullable Double sigmaLargest;
        private @Nullable Double kernelSmallest;
        private @Nullable Double kernelCondition;
        private @Nullable Double transformedSmallest;
        private @Nullable Double transformedCondition;
        private @Nullable Double negative;
        private @Nullable Double orthonormality;
        private final Map<String, Double> gradients = new LinkedHashMap<>();

        Health toHealth() {
            List<String> warnings = new ArrayList<>();
            if (dead != null && dead > MANY_DEAD) {
                warnings.add(String.format(
                        Locale.ROOT,
                        "%.0f %% of the channels are dead (zero everywhere); lower the learning rate of the convolution, or"
                                + " start it from PCA",
                        100 * dead));
            }
            if (orthonormality != null && orthonormality > LOOSE) {
                warnings.add("the columns of W are no longer orthonormal (off by " + orthonormality
                        + "); lower its learning rate or clip its gradient");
            }
            if (negative != null && negative > 0) {
                warnings.add(String.format(
                        Locale.ROOT,
                        "%.1f %% of the eigenvalues are negative after the ReLU: Y has left the SPD cone; that is harmless"
                                + " without a logarithm, otherwise use reeig",
                        100 * negative));
            }
            return new Health(
                    dead,
                    sigmaSmallest,
                    sigmaLargest,
                    kernelSmallest,
                    kernelCondition,
                    transformedSmallest,
                    transformedCondition,
                    negative,
                    orthonormality,
                    gradients,
                    warnings);
        }
    }

    /** Whether all parameters, and the probabilities of some feature maps, are finite. */
    boolean sound(List<Tensor> maps) {
        try (Scope scope = Scope.open()) {
            return parameters.stream().allMatch(parameter -> finite(parameter.value()))
                    && finite(network.probabilities(network.describe(maps)));
        }
    }

    /** The message when the loss of a batch is not finite: the first layer or parameter that failed, and what to change. */
    TrainingException diagnose(List<Tensor> maps, int stage, int epoch, long step) {
        String place = "stage " + stage + ", epoch " + epoch + ", step " + step;
        for (int b = 0; b < maps.size(); b++) {
            String branch = "branch " + (b + 1);
            if (!finite(maps.get(b))) {
                return new TrainingException("the backbone gives NaN or infinity to " + branch + " (" + place
                        + "); lower stage2.rates.backbone, or train in float: --set backbone.precision=float");
            }
            for (Parameter parameter : Branch.of(network).get(b).parameters()) {
                if (!finite(parameter.value())) {
                    return new TrainingException("the parameter " + parameter.name() + " became NaN or infinite ("
                            + place + "); lower its learning rate or its clip in stage" + stage + ".rates");
                }
            }
            for (Trace.Output output :
                    Branch.of(network).get(b).trace(maps.get(b)).outputs()) {
                if (!finite(output.value())) {
                    return new TrainingException("the layer '" + output.name() + "' of " + branch
                            + " gives NaN or infinity (" + place + "); lower the learning rates in stage" + stage
                            + ".rates, or raise descriptor.powerEpsilon");
                }
            }
        }
        return new TrainingException("the loss is NaN or infinite (" + place
                + "): the classifier's scores grew too large; lower stage" + stage + ".rates.classifier");
    }

    private static boolean finite(Tensor tensor) {
        return tensor.isfinite().all().item_bool();
    }
}
