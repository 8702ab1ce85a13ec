package io.github.gramian.bench.jmh;

import static org.bytedeco.openblas.global.openblas_nolapack.CblasNoTrans;
import static org.bytedeco.openblas.global.openblas_nolapack.CblasRowMajor;
import static org.bytedeco.openblas.global.openblas_nolapack.CblasTrans;
import static org.bytedeco.openblas.global.openblas_nolapack.CblasUpper;

import io.github.gramian.tensor.internal.Engine;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.openblas.global.openblas_nolapack;
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

/** MMᵀ and MWᵀ + WMᵀ by a general product and by those of OpenBLAS for symmetric results; M, W: [512, columns], one thread. */
@State(org.openjdk.jmh.annotations.Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SymmetricProductBenchmark {

    private static final int ROWS = 512;

    @Param({"196", "512"})
    public int columns;

    private FloatPointer M;
    private FloatPointer W;
    private FloatPointer K;

    @SuppressWarnings("NullAway.Init") // JMH calls prepare() first
    public SymmetricProductBenchmark() {}

    @Setup
    public void prepare() {
        Engine.useThreads(1);
        openblas_nolapack.blas_set_num_threads(1);
        SplittableRandom random = new SplittableRandom(1);
        M = values(random, (long) ROWS * columns);
        W = values(random, (long) ROWS * columns);
        K = values(random, (long) ROWS * ROWS);
    }

    private static FloatPointer values(SplittableRandom random, long count) {
        FloatPointer values = new FloatPointer(count);
        for (long i = 0; i < count; i++) {
            values.put(i, (float) random.nextDouble());
        }
        return values;
    }

    @Benchmark
    public void gemm() {
        openblas_nolapack.cblas_sgemm(
                CblasRowMajor, CblasNoTrans, CblasTrans, ROWS, ROWS, columns, 1, M, columns, M, columns, 0, K, ROWS);
    }

    @Benchmark
    public void syrk() {
        openblas_nolapack.cblas_ssyrk(
                CblasRowMajor, CblasUpper, CblasNoTrans, ROWS, columns, 1, M, columns, 0, K, ROWS);
    }

    @Benchmark
    public void syr2k() {
        openblas_nolapack.cblas_ssyr2k(
                CblasRowMajor, CblasUpper, CblasNoTrans, ROWS, columns, 1, M, columns, W, columns, 0, K, ROWS);
    }

    @TearDown
    public void free() {
        M.close();
        W.close();
        K.close();
    }
}
