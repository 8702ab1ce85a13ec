package io.github.gramian.bench;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.github.gramian.check.internal.MatrixProduct;
import io.github.gramian.check.internal.Rounds;
import io.github.gramian.check.internal.Rounds.Timing;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.io.internal.Text;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.ProductPrecision;
import io.github.gramian.model.Head;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.HeadConfig;
import io.github.gramian.model.internal.Branch;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Blas;
import io.github.gramian.tensor.internal.Engine;
import io.github.gramian.tensor.internal.PeakMemory;
import java.io.PrintWriter;
import java.util.Map;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorArrayRefOptional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The head against autograd and against the machine. */
@Command(
        name = "head",
        description = {
            "Measures the head, from feature maps to descriptor.",
            "Forward and backward of the hand-written layers, of the same network",
            "with LibTorch's autograd, and the time that only its matrix products would take."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  gramian bench head", "  gramian bench head --output 64 --json"})
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class BenchHeadCommand extends PrintingCommand {

    private static final int MEMORY_ROUNDS = 3;

    @Option(
            names = "--channels",
            description = "C, channels of the maps and size of the kernel matrix (default: ${DEFAULT-VALUE}).",
            defaultValue = "512")
    private int channels;

    @Option(
            names = "--output",
            description = "C', number of columns of W (default: ${DEFAULT-VALUE}).",
            defaultValue = "512")
    private int output;

    @Option(
            names = "--positions",
            description = "N, number of positions of a map (default: ${DEFAULT-VALUE}).",
            defaultValue = "196")
    private int positions;

    @Option(
            names = "--batch",
            description = "Number of images per batch (default: ${DEFAULT-VALUE}).",
            defaultValue = "32")
    private int batch;

    @Option(
            names = "--product",
            description = "Size of the matrix product that gives the limit (default: ${DEFAULT-VALUE}).",
            defaultValue = "4096")
    private int product;

    @Mixin
    private Measurement measurement;

    @Override
    public Integer call() {
        HeadBenchmark benchmark = new HeadBenchmark(channels, output, positions, batch, measurement.rounds(), product);
        HeadBenchmark.Result result = benchmark.run();
        HeadBenchmark.Memory memory = benchmark.memory(MEMORY_ROUNDS);
        print(measurement.json(), () -> new Measured(result, memory), out -> print(out, result, memory));
        return 0;
    }

    private void print(PrintWriter out, HeadBenchmark.Result result, HeadBenchmark.Memory memory) {
        out.println(Text.format(
                "C = %d, C' = %d, N = %d, batch %d, float, %s, %d threads; medians of %d alternating rounds",
                channels, output, positions, batch, result.blas(), result.threads(), measurement.rounds()));
        row(
                out,
                "hand-written",
                result.oursMillis(),
                result.ours().fastest(),
                result.ours().slowest());
        row(
                out,
                "in bfloat16",
                result.bfloat16().median(),
                result.bfloat16().fastest(),
                result.bfloat16().slowest());
        row(
                out,
                "autograd",
                result.autogradMillis(),
                result.autograd().fastest(),
                result.autograd().slowest());
        out.println(Text.format(
                "%-14s %8.1f ms   at %.0f GFLOP/s", "products only", result.limitMillis(), result.gemmGflops()));
        out.println(Text.format(
                "%.2f × the time of autograd; %.0f %% of the products' speed; with products in bfloat16 %.2f × autograd's time",
                result.ratioToAutograd(), 100 * result.shareOfLimit(), result.bfloat16Ratio()));
        out.println(Text.format(
                "extra memory of a step: %.0f MB, autograd's %.0f MB: %.2f of it",
                memory.oursMegabytes(), memory.autogradMegabytes(), memory.ratio()));
    }

    /** The result that is printed as JSON. */
    private record Measured(@JsonUnwrapped HeadBenchmark.Result speed, HeadBenchmark.Memory memory) {}

    private static void row(PrintWriter out, String name, double median, double fastest, double slowest) {
        out.println(Text.format("%-14s %8.1f ms   (%.1f – %.1f)", name, median, fastest, slowest));
    }

    /**
     * Forward and backward of the head, from feature maps to descriptor, with σ a constant as in the paper: the hand-written
     * layers, the same network with LibTorch's autograd ({@link PlainHead}), and the time that only the matrix products would
     * take at the rate of a large product measured in the same rounds.
     *
     * @param channels C
     * @param outputDim C′
     * @param positions N
     * @param batch images
     * @param rounds measured rounds, alternating between the contenders
     * @param productSize size of the large product
     */
    record HeadBenchmark(int channels, int outputDim, int positions, int batch, int rounds, int productSize) {

        private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

        /**
         * Result of the benchmark; times are medians in milliseconds.
         *
         * @param benchmark the sizes
         * @param blas library that multiplies matrices
         * @param threads of the engine
         * @param oursMillis the hand-written layers
         * @param autogradMillis the network with autograd
         * @param limitMillis only the products
         * @param ratioToAutograd ours / autograd; smaller is better
         * @param shareOfLimit limit / ours; 1 is as good as the products allow
         * @param bfloat16Ratio the hand-written layers with products in bfloat16 / autograd in float
         * @param gemmGflops rate of the large product
         * @param ours spread of ours
         * @param bfloat16 spread of ours with products in bfloat16
         * @param autograd spread of autograd
         */
        public record Result(
                HeadBenchmark benchmark,
                String blas,
                int threads,
                double oursMillis,
                double autogradMillis,
                double limitMillis,
                double ratioToAutograd,
                double shareOfLimit,
                double bfloat16Ratio,
                double gemmGflops,
                Timing ours,
                Timing bfloat16,
                Timing autograd) {}

        /**
         * Floating-point operations of the products of one batch, none of them halved by symmetry: MMᵀ and A·M take 2C²N each,
         * KW, (WS)Wᵀ and Kᵀ(WS) 2C²C′, Wᵀ(KW) and WS 2CC′².
         */
        public double flops() {
            return batch * flopsOfImage(channels, outputDim, positions);
        }

        /** 2(2C²N + 3C²C′ + 2CC′²): the same for one image. */
        public static double flopsOfImage(double c, double m, double n) {
            return 2 * (2 * c * c * n + 3 * c * c * m + 2 * c * m * m);
        }

        public Result run() {
            HeadConfig config = PlainHead.handWritten(channels, outputDim);
            try (Scope scope = Scope.open();
                    Head head = new Head(config, FLOAT, new Seed(1));
                    Branch bfloat16 = new Branch("", inBfloat16(config), channels, FLOAT, new Seed(1));
                    PlainHead plain =
                            new PlainHead(outputDim, config.descriptor().powerEpsilon(), FLOAT);
                    MatrixProduct product = new MatrixProduct(productSize, FLOAT)) {
                Tensor M = new Seed(2).normal(FLOAT, batch, channels, positions).relu_();
                Tensor gradient = new Seed(3).normal(FLOAT, batch, config.descriptorLength());
                Parameter W = head.parameters().get(0);
                Map<String, Timing> timings = new Rounds()
                        .withClock("product", () -> onAllThreads(product))
                        .with("ours", () -> ours(head.descriptor(), M, gradient))
                        .with("bfloat16", () -> ours(bfloat16, M, gradient))
                        .withClock("autograd", () -> onAllThreads(() -> autograd(plain, M, W.value(), gradient)))
                        .run(2, rounds);
                return result(timings, product);
            }
        }

        private static BranchConfig inBfloat16(HeadConfig config) {
            BranchConfig branch = config.branch();
            return new BranchConfig(
                    branch.tap(),
                    branch.size(),
                    branch.convolution(),
                    branch.rectify(),
                    new AggregatorConfig.SpdMatrix(
                            config.aggregation(), config.transforms(), ProductPrecision.BFLOAT16),
                    branch.descriptor());
        }

        /** As LibTorch runs by itself: with products on every core. */
        private static double onAllThreads(Runnable work) {
            try (Blas.AllThreads span = Blas.allThreads()) {
                return Rounds.millisOf(work);
            }
        }

        static void ours(Layer descriptor, Tensor M, Tensor gradient) {
            descriptor.forward(M, Phase.inference()).backward(gradient);
        }

        static void autograd(PlainHead plain, Tensor M, Tensor W, Tensor gradient) {
            Tensor features = M.detach().set_requires_grad(true);
            Tensor weight = W.detach().set_requires_grad(true);
            plain.descriptor(features, weight)
                    .backward(gradient, new BoolOptional(), false, new TensorArrayRefOptional());
        }

        private Result result(Map<String, Timing> timings, MatrixProduct product) {
            Timing ours = requireNonNull(timings.get("ours"));
            Timing bfloat16 = requireNonNull(timings.get("bfloat16"));
            Timing autograd = requireNonNull(timings.get("autograd"));
            double gflops =
                    product.gflops(requireNonNull(timings.get("product")).median());
            double limit = flops() / (gflops * 1e6);
            Engine.Description engine = Engine.describe();
            return new Result(
                    this,
                    engine.blas(),
                    engine.threads(),
                    ours.median(),
                    autograd.median(),
                    limit,
                    ours.median() / autograd.median(),
                    limit / ours.median(),
                    bfloat16.median() / autograd.median(),
                    gflops,
                    ours,
                    bfloat16,
                    autograd);
        }

        /**
         * Extra memory of one step; medians.
         *
         * @param oursMegabytes of the hand-written layers; NaN if the system does not report it
         * @param autogradMegabytes of the network with autograd
         * @param ratio ours / autograd; smaller is better
         */
        public record Memory(double oursMegabytes, double autogradMegabytes, double ratio) {}

        /** Memory that one step of each needs at its highest, above what holds features, weights and gradients before. */
        public Memory memory(int measured) {
            HeadConfig config = PlainHead.handWritten(channels, outputDim);
            try (Scope scope = Scope.open();
                    Head head = new Head(config, FLOAT, new Seed(1));
                    PlainHead plain =
                            new PlainHead(outputDim, config.descriptor().powerEpsilon(), FLOAT)) {
                Tensor M = new Seed(2).normal(FLOAT, batch, channels, positions).relu_();
                Tensor gradient = new Seed(3).normal(FLOAT, batch, config.descriptorLength());
                Parameter W = head.parameters().get(0);
                Runnable ours = () -> ours(head.descriptor(), M, gradient);
                Runnable autograd = () -> autograd(plain, M, W.value(), gradient);
                double[] oursMegabytes = new double[measured];
                double[] autogradMegabytes = new double[measured];
                for (int round = -1; round < measured; round++) { // what is loaded once must not count
                    double first = PeakMemory.megabytes(ours);
                    double second = PeakMemory.megabytes(autograd);
                    if (round >= 0) {
                        oursMegabytes[round] = first;
                        autogradMegabytes[round] = second;
                    }
                }
                double mine = Rounds.median(oursMegabytes);
                double theirs = Rounds.median(autogradMegabytes);
                return new Memory(mine, theirs, mine / theirs);
            }
        }
    }
}
