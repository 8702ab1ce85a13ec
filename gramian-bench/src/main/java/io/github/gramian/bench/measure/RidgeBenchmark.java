package io.github.gramian.bench.measure;

import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.CpuWorkers;
import io.github.gramian.tensor.internal.PeakMemory;
import io.github.gramian.train.descriptor.internal.DescriptorFile;
import io.github.gramian.train.descriptor.internal.Descriptors;
import io.github.gramian.train.ridge.internal.IterativeRidge;
import io.github.gramian.train.ridge.internal.RidgeClassifier;
import io.github.gramian.train.ridge.internal.RidgeFit;
import io.github.gramian.train.ridge.internal.RidgeMethod;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.bytedeco.pytorch.Tensor;

/**
 * The classifier in closed form by conjugate gradients over descriptors on disk: time and memory of the whole fit, choice of
 * the penalty included, and how far its scores are from those of the dual on as many rows as that takes.
 *
 * @param rows of descriptors; a tenth of them chooses the penalty
 * @param dimensions of a descriptor
 * @param classes of the labels
 * @param compareRows rows that both ways are fitted to, 0 for none
 * @param decay exponent of the eigenvalues' decay, see {@link SyntheticDescriptors}
 * @param half whether to measure what rows in half precision would change as well
 */
public record RidgeBenchmark(int rows, int dimensions, int classes, int compareRows, double decay, boolean half) {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    public RidgeBenchmark {
        if (classes < 2 || rows < 10 * classes || dimensions < 2) {
            throw new IllegalArgumentException("at least 2 classes, 10 rows of each and 2 dimensions are needed");
        }
        if (compareRows < 0 || compareRows > Math.min(rows, RidgeMethod.MAX_DUAL_ROWS)) {
            throw new IllegalArgumentException("--compare-rows must lie in 0.." + RidgeMethod.MAX_DUAL_ROWS
                    + " and be at most --rows but is " + compareRows);
        }
    }

    /**
     * Result of the benchmark.
     *
     * @param writeSeconds to make the descriptors and write them to disk
     * @param seconds of the fit, the choice of the penalty included
     * @param peakResidentBytes of the whole process during the fit; −1 if the system does not report it
     * @param iterations of all penalties together
     * @param relativeLambda the penalty that was chosen
     * @param accuracy on the rows that chose it
     * @param penalties how many were tried
     * @param dualSeconds of the dual on the rows to compare
     * @param maxScoreDifference largest difference of scores from those of the dual, over its largest score; NaN without
     * @param maxScoreError the same from the dual whose inner products are computed in double, the exact answer
     * @param maxDualError what the dual itself differs from that
     * @param maxHalfError what the exact answer for rows rounded to half precision differs from that; NaN unless asked for
     */
    public record Result(
            int rows,
            int dimensions,
            int classes,
            int threads,
            double decay,
            double fileGigabytes,
            double writeSeconds,
            double seconds,
            long peakResidentBytes,
            int iterations,
            double relativeLambda,
            double accuracy,
            int penalties,
            int compareRows,
            double dualSeconds,
            double maxScoreDifference,
            double maxScoreError,
            double maxDualError,
            double maxHalfError) {}

    /** Measures. The file is written to the directory, and the listener receives lines of progress. */
    public Result run(Path folder, Consumer<String> progress) {
        RidgeConfig config = RidgeConfig.defaults();
        try (Scope scope = Scope.open();
                SyntheticDescriptors made = new SyntheticDescriptors(rows, dimensions, classes, decay)) {
            long start = System.nanoTime();
            try (DescriptorFile file = DescriptorFile.of(made, folder)) {
                double writing = seconds(start);
                progress.accept("descriptors written");
                int training = rows - rows / 10;
                IterativeRidge ridge = new IterativeRidge(classes, config, progress);
                RidgeFit[] fits = new RidgeFit[1];
                long fitStart = System.nanoTime();
                OptionalLong peak = PeakMemory.ofProcess(() -> fits[0] = ridge.fit(
                        new Part(file, 0, training, block -> block),
                        SyntheticDescriptors.labels(0, training, classes),
                        new Part(file, training, rows, block -> block),
                        SyntheticDescriptors.labels(training, rows, classes)));
                double fitting = seconds(fitStart);
                RidgeFit fit = fits[0];
                double lambda = fit.chosen().relativeLambda();
                Compared compared = compareRows == 0
                        ? Compared.NOTHING
                        : compare(new Part(file, 0, compareRows, block -> block), config.withLambdas(List.of(lambda)));
                return new Result(
                        rows,
                        dimensions,
                        classes,
                        CpuWorkers.count(),
                        decay,
                        (double) rows * dimensions * Float.BYTES / 1e9,
                        writing,
                        fitting,
                        peak.orElse(-1),
                        ridge.iterations(),
                        lambda,
                        fit.chosen().accuracy(),
                        fit.trials().size(),
                        compareRows,
                        compared.dualSeconds,
                        compared.difference,
                        compared.error,
                        compared.dualError,
                        compared.halfError);
            }
        }
    }

    private record Compared(double dualSeconds, double difference, double error, double dualError, double halfError) {

        static final Compared NOTHING = new Compared(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
    }

    private Compared compare(Part part, RidgeConfig one) {
        int[] labels = SyntheticDescriptors.labels(0, compareRows, classes);
        long start = System.nanoTime();
        RidgeFit dual = RidgeClassifier.fit(part, labels, classes, one);
        double seconds = seconds(start);
        RidgeFit exact = RidgeClassifier.fit(part.as(DOUBLE::place), labels, classes, one);
        RidgeFit iterative = new IterativeRidge(classes, one, line -> {}).fit(part, labels, dual.temperature());
        return new Compared(
                seconds,
                difference(part, iterative, dual),
                difference(part, iterative, exact),
                difference(part, dual, exact),
                half ? difference(part, rounded(part, labels, one), exact) : Double.NaN);
    }

    private RidgeFit rounded(Part part, int[] labels, RidgeConfig one) {
        Placement two = Placement.cpu(Precision.HALF);
        return RidgeClassifier.fit(part.as(block -> DOUBLE.place(two.place(block))), labels, classes, one);
    }

    private static double difference(Part part, RidgeFit one, RidgeFit other) {
        double most = 0;
        double largest = 0;
        for (long from = 0; from < part.count(); from += 256) {
            try (Scope step = Scope.open()) {
                Tensor X = DOUBLE.place(part.rows(from, Math.min(part.count(), from + 256)));
                Tensor expected = scores(other, X);
                largest = Math.max(largest, expected.abs().max().item_double());
                most = Math.max(most, scores(one, X).sub(expected).abs().max().item_double());
            }
        }
        return most / largest;
    }

    private static Tensor scores(RidgeFit fit, Tensor X) {
        return X.matmul(DOUBLE.place(fit.weight()).t()).add(DOUBLE.place(fit.bias()));
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }

    /** Some successive rows of others, as something. */
    private record Part(Descriptors all, long begin, long end, UnaryOperator<Tensor> form) implements Descriptors {

        Part as(UnaryOperator<Tensor> other) {
            return new Part(all, begin, end, other);
        }

        @Override
        public long count() {
            return end - begin;
        }

        @Override
        public long length() {
            return all.length();
        }

        @Override
        public Tensor rows(long from, long to) {
            return form.apply(all.rows(begin + from, begin + to));
        }

        @Override
        public Tensor rows(long from, long to, Tensor buffer) {
            return Placement.of(buffer).place(form.apply(all.rows(begin + from, begin + to, buffer)));
        }
    }
}
