package io.github.gramian.bench.jmh;

import io.github.gramian.layer.EigenLayer;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.MatrixSquareRoot;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.PowerNormalisation;
import io.github.gramian.layer.SpdTransformation;
import io.github.gramian.layer.Vectorisation;
import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.layer.kernel.InnerProductKernel;
import io.github.gramian.layer.kernel.KernelAggregation;
import io.github.gramian.layer.kernel.RbfKernel;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.concurrent.TimeUnit;
import org.bytedeco.pytorch.Tensor;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Forward and backward of one layer, batch 32, C = 512, N = 196, float. */
@State(org.openjdk.jmh.annotations.Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class LayerBenchmark {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final int C = 512;

    /** The layers to choose from. */
    public enum Kind {
        RBF_KERNEL,
        LINEAR_KERNEL,
        SPD_TRANSFORMATION,
        VECTORISATION,
        POWER_NORMALISATION,
        NEWTON_SCHULZ,
        LOG_EIG
    }

    @Param
    public Kind kind = Kind.RBF_KERNEL;

    @Param("32")
    public int batch;

    private Scope scope;
    private Layer layer;
    private Tensor input;
    private Tensor gradient;

    @SuppressWarnings("NullAway.Init") // JMH calls prepare() first
    public LayerBenchmark() {}

    @Setup
    public void prepare() {
        scope = Scope.open();
        Tensor maps = new Seed(1).normal(FLOAT, batch, C, 196).relu_();
        KernelAggregation rbf = KernelAggregation.of(
                new RbfKernel("kernel", new Bandwidth.PerImage(Bandwidth.Gradient.CONSTANT), FLOAT));
        boolean fromMaps = kind == Kind.RBF_KERNEL || kind == Kind.LINEAR_KERNEL;
        input = fromMaps ? maps : rbf.apply(maps);
        layer = switch (kind) {
            case RBF_KERNEL -> rbf;
            case LINEAR_KERNEL -> KernelAggregation.of(new InnerProductKernel.Linear());
            case SPD_TRANSFORMATION -> SpdTransformation.random("t", C, C, Stiefel.paper(), FLOAT, new Seed(2));
            case VECTORISATION -> new Vectorisation(C, Fidelity.EXACT, FLOAT);
            case POWER_NORMALISATION -> new PowerNormalisation(1e-3);
            case NEWTON_SCHULZ -> new MatrixSquareRoot(5);
            case LOG_EIG -> EigenLayer.logarithm(1e-4);
        };
        gradient = layer.apply(input).clone();
    }

    @Benchmark
    public long forwardAndBackward() {
        try (Scope step = Scope.open()) {
            Pass pass = layer.forward(input, Phase.inference());
            return pass.backward(gradient).numel();
        }
    }

    @TearDown
    public void free() {
        layer.close();
        scope.close();
    }
}
