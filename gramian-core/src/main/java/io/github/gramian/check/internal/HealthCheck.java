package io.github.gramian.check.internal;

import static java.util.Objects.requireNonNull;

import io.github.gramian.check.GradientCheck;
import io.github.gramian.check.GradientCheck.Domain;
import io.github.gramian.check.internal.Rounds.Timing;
import io.github.gramian.layer.Convolution1x1;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.FullyConnected;
import io.github.gramian.layer.L2Normalisation;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.PowerNormalisation;
import io.github.gramian.layer.Relu;
import io.github.gramian.layer.Sequence;
import io.github.gramian.layer.SpdTransformation;
import io.github.gramian.layer.Vectorisation;
import io.github.gramian.layer.internal.PerSampleLayer;
import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.layer.kernel.KernelAggregation;
import io.github.gramian.layer.kernel.RbfKernel;
import io.github.gramian.manifold.Metric;
import io.github.gramian.manifold.Retraction;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.optim.Optimizer;
import io.github.gramian.optim.ParameterGroup;
import io.github.gramian.optim.RiemannianSgd;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Blas;
import io.github.gramian.tensor.internal.CpuWorkers;
import io.github.gramian.tensor.internal.Engine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/** Checks that this installation computes correctly, and measures how fast: what {@code gramian doctor} shows. */
public final class HealthCheck {

    /** A correct gradient in double is far below, an incorrect one far above. */
    static final double GRADIENT_LIMIT = 1e-7;

    /** Orthonormality in float after many steps. */
    static final double STIEFEL_LIMIT = 1e-5;

    private static final int HEAD_INPUTS = 6;
    private static final int HEAD_CHANNELS = 8;
    private static final int HEAD_SIZE = 5;
    private static final int HEAD_CLASSES = 3;
    private static final double HEAD_POWER_EPSILON = 1e-3;
    private static final int PRODUCT_SIZE = 1536;
    private static final int WORKER_PRODUCT_SIZE = 512;
    private static final int WORKER_PRODUCTS = 8;
    private static final int STIEFEL_STEPS = 50;

    private HealthCheck() {}

    /**
     * Results of the check.
     *
     * @param healthy whether there is nothing in problems
     * @param engine LibTorch
     * @param java version and vendor of the JVM
     * @param heapMegabytes the largest heap the JVM may take
     * @param gradientError of the whole head against central differences, in double
     * @param stiefelError the worst |WᵀW − I| over the retractions after 50 float steps
     * @param gemmGflops rate of a large matrix product
     * @param problems what is wrong and what to do about it
     */
    public record Report(
            boolean healthy,
            Engine.Description engine,
            String java,
            long heapMegabytes,
            double gradientError,
            double stiefelError,
            GemmGflops gemmGflops,
            List<String> problems) {}

    /**
     * GFLOP/s of matrix products.
     *
     * @param fp32 a large one in float, on all threads of the BLAS
     * @param fp32OneThread the same on one
     * @param fp32Lanes many of 512×512 in float on per-sample CPU workers, as the head multiplies
     * @param bf16 a large one in bfloat16
     */
    public record GemmGflops(double fp32, double fp32OneThread, double fp32Lanes, double bf16) {}

    /** Runs all checks; takes a few seconds. */
    public static Report run() {
        double gradientError = gradientError();
        double stiefelError = stiefelError();
        GemmGflops gflops = gemmGflops();
        List<String> problems = problems(gradientError, stiefelError, gflops);
        return new Report(
                problems.isEmpty(),
                Engine.describe(),
                System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + ")",
                Runtime.getRuntime().maxMemory() >> 20,
                gradientError,
                stiefelError,
                gflops,
                problems);
    }

    static List<String> problems(double gradientError, double stiefelError, GemmGflops gflops) {
        List<String> problems = new ArrayList<>();
        if (!(gradientError <= GRADIENT_LIMIT)) {
            problems.add("the head's gradient is off by " + gradientError + " (limit " + GRADIENT_LIMIT
                    + "): the engine computes incorrectly on this CPU; try another BLAS (a distribution built with -Pmkl)"
                    + " and report the output of gramian doctor --json");
        }
        if (!(stiefelError <= STIEFEL_LIMIT)) {
            problems.add(
                    "orthonormal columns drift by " + stiefelError + " (limit " + STIEFEL_LIMIT
                            + "): QR, eigh or solve of this BLAS are inaccurate; try another BLAS (a distribution built with -Pmkl)");
        }
        if (!(gflops.fp32() > 1)) {
            problems.add(
                    "matrix products run at " + gflops.fp32()
                            + " GFLOP/s: the machine is overloaded or the BLAS has no vector instructions; free the CPU and retry");
        }
        return List.copyOf(problems);
    }

    /** The whole head, σ differentiated. */
    private static double gradientError() {
        Placement placement = Placement.cpu(Precision.DOUBLE);
        try (Scope scope = Scope.open();
                Layer descriptor = descriptor(placement, new Seed(1));
                FullyConnected classifier =
                        FullyConnected.zeros("classifier", HEAD_SIZE * (HEAD_SIZE + 1) / 2, HEAD_CLASSES, placement)) {
            Tensor weight = classifier.weight().value();
            weight.copy_(new Seed(2).normal(placement, weight.size(0), weight.size(1)));
            Tensor features = new Seed(3).normal(placement, 2, HEAD_INPUTS, 10);
            return GradientCheck.on(Domain.ANY).worstError(Sequence.of(descriptor, classifier), features, new Seed(4));
        }
    }

    /** The paper's layers, image by image, as a network holds them. */
    private static Layer descriptor(Placement placement, Seed seed) {
        RbfKernel kernel = new RbfKernel("kernel", new Bandwidth.PerImage(Bandwidth.Gradient.EXACT), placement);
        Sequence layers = Sequence.of(
                Convolution1x1.random("convolution", HEAD_INPUTS, HEAD_CHANNELS, placement, seed.child("convolution")),
                new Relu(),
                KernelAggregation.of(kernel),
                SpdTransformation.random(
                        "transform1", HEAD_CHANNELS, HEAD_SIZE, Stiefel.paper(), placement, seed.child("transform1")),
                new Vectorisation(HEAD_SIZE, Fidelity.EXACT, placement),
                new PowerNormalisation(HEAD_POWER_EPSILON),
                new L2Normalisation());
        return new PerSampleLayer(layers, HEAD_CHANNELS);
    }

    private static double stiefelError() {
        Placement placement = Placement.cpu(Precision.FLOAT);
        double worst = 0;
        for (Retraction retraction : Retraction.values()) {
            Stiefel stiefel = new Stiefel(Metric.CANONICAL, retraction);
            try (Scope scope = Scope.open();
                    Parameter W = Parameter.of(
                            "W", Parameter.Role.TRANSFORM, stiefel.random(placement, new Seed(5), 128, 64), stiefel);
                    Optimizer optimizer = new RiemannianSgd(List.of(ParameterGroup.of(List.of(W))), 0.9)) {
                for (int step = 0; step < STIEFEL_STEPS; step++) {
                    try (Scope inner = Scope.open()) {
                        optimizer.clearGradients();
                        W.accumulate(new Seed(step).normal(placement, 128, 64));
                        optimizer.step(0.01);
                    }
                }
                worst = Math.max(worst, stiefel.violation(W.value()));
            }
        }
        return worst;
    }

    private static GemmGflops gemmGflops() {
        Placement floats = Placement.cpu(Precision.FLOAT);
        int many = WORKER_PRODUCTS * CpuWorkers.count();
        try (MatrixProduct fp32 = new MatrixProduct(PRODUCT_SIZE, floats);
                MatrixProduct small = new MatrixProduct(WORKER_PRODUCT_SIZE, floats);
                MatrixProduct bf16 = new MatrixProduct(PRODUCT_SIZE, Placement.cpu(Precision.BFLOAT16))) {
            Map<String, Timing> timings = new Rounds()
                    .withClock("all threads", () -> {
                        try (Blas.AllThreads span = Blas.allThreads()) {
                            return Rounds.millisOf(fp32);
                        }
                    })
                    .with("one thread", fp32)
                    .with("workers", () -> CpuWorkers.run(many, task -> small.another()))
                    .with("bf16", bf16)
                    .run(1, 5);
            return new GemmGflops(
                    fp32.gflops(requireNonNull(timings.get("all threads")).median()),
                    fp32.gflops(requireNonNull(timings.get("one thread")).median()),
                    many * small.gflops(requireNonNull(timings.get("workers")).median()),
                    bf16.gflops(requireNonNull(timings.get("bf16")).median()));
        }
    }
}
