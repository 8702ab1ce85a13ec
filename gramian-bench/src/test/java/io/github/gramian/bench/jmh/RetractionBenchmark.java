package io.github.gramian.bench.jmh;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.manifold.Metric;
import io.github.gramian.manifold.Retraction;
import io.github.gramian.manifold.Stiefel;
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

/** One step back onto the Stiefel manifold, W: [512, columns], float. */
@State(org.openjdk.jmh.annotations.Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RetractionBenchmark {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    @Param
    public Retraction retraction = Retraction.QR;

    @Param({"64", "128", "512"})
    public int columns;

    private Scope scope;
    private Stiefel stiefel;
    private Tensor W;
    private Tensor tangent;

    @SuppressWarnings("NullAway.Init") // JMH calls prepare() first
    public RetractionBenchmark() {}

    @Setup
    public void prepare() {
        scope = Scope.open();
        stiefel = new Stiefel(Metric.CANONICAL, retraction);
        W = stiefel.random(FLOAT, new Seed(1), 512, columns);
        tangent = stiefel.projection(W, new Seed(2).normal(FLOAT, 512, columns)).mul(scalar(1e-3));
    }

    @Benchmark
    public long step() {
        try (Scope step = Scope.open()) {
            return stiefel.retraction(W, tangent).numel();
        }
    }

    @TearDown
    public void free() {
        scope.close();
    }
}
