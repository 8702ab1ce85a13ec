package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleFunction;
import org.bytedeco.pytorch.Tensor;

/**
 * A linear classifier in closed form: ridge regression on class indicators (1 for a row's class, 0 for the others) in the
 * dual, for few rows of many dimensions. The penalty and the temperature of the probabilities are chosen on rows that were
 * not trained on: by leaving out, exactly and without refitting, or by validation rows.
 *
 * <p>A row is an image: several crops of one image are not independent, so their mean is the row; otherwise leave-one-out is
 * too optimistic.
 *
 * <p>Takes about 6 n² doubles of memory beside the rows, and O(n³) time; n is limited to {@link #MOST_ROWS}. The same
 * rows, config and number of threads give the same bits.
 */
public final class RidgeClassifier {

    /** Beyond this the n × n matrices take more than 7 GB, and the decomposition many minutes. */
    public static final int MOST_ROWS = 12_000;

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    private RidgeClassifier() {}

    /** Chooses by leaving out one row at a time. */
    public static RidgeFit fit(Descriptors rows, int[] labels, int classes, RidgeConfig config) {
        check("training", rows, labels, classes);
        checkSize(rows);
        try (Scope scope = Scope.open();
                RowBlocks blocks = new RowBlocks(rows, config);
                DualRidge ridge = solver(blocks.gram(), labels, classes, config.lambdas())) {
            return finish(scope, ridge, blocks, choose(ridge.scale(), config, labels, classes, ridge::leaveOneOut));
        }
    }

    /** Chooses by validation rows. */
    public static RidgeFit fit(
            Descriptors training,
            int[] labels,
            Descriptors validation,
            int[] validationLabels,
            int classes,
            RidgeConfig config) {
        check("training", training, labels, classes);
        checkLabels("validation", validation, validationLabels, classes);
        Descriptors both = training.then(validation);
        checkSize(both);
        long n = training.count();
        try (Scope scope = Scope.open();
                RowBlocks blocks = new RowBlocks(both, config)) {
            Tensor G = blocks.gram();
            Tensor cross = G.narrow(0, n, validation.count()).narrow(1, 0, n);
            try (DualRidge ridge = solver(G.narrow(0, 0, n).narrow(1, 0, n), labels, classes, config.lambdas())) {
                Choice choice = choose(ridge.scale(), config, validationLabels, classes, lambda -> {
                    DualRidge.Solution solution = ridge.solve(lambda);
                    return cross.matmul(solution.alpha()).add(solution.intercept());
                });
                return finish(scope, ridge, blocks, choice);
            }
        }
    }

    /** The chosen penalty with its held-out scores. */
    private record Choice(RidgeFit.Trial best, List<RidgeFit.Trial> trials, Tensor scores) {}

    private static Choice choose(
            double unit, RidgeConfig config, int[] labels, int classes, DoubleFunction<Tensor> heldOutScores) {
        List<RidgeFit.Trial> trials = new ArrayList<>();
        for (double relative : config.lambdas()) {
            try (Scope step = Scope.open()) {
                Tensor scores = heldOutScores.apply(relative * unit).contiguous();
                double[] numbers = new double[Math.multiplyExact(labels.length, classes)];
                buffer(scores).get(numbers);
                Temperature temperature = new Temperature(numbers, labels, classes);
                double s = temperature.best();
                trials.add(new RidgeFit.Trial(
                        relative, relative * unit, temperature.accuracy(), temperature.logLoss(s), s));
            }
        }
        RidgeFit.Trial best = RidgeFit.Trial.best(trials, labels.length);
        return new Choice(best, trials, heldOutScores.apply(best.lambda()));
    }

    /** Weights of rows relative to the blocks' origin are those of the rows themselves with another bias. */
    private static RidgeFit finish(Scope scope, DualRidge ridge, RowBlocks blocks, Choice choice) {
        DualRidge.Solution solution = ridge.solve(choice.best().lambda());
        Tensor weight = blocks.weights(solution.alpha());
        Tensor bias = solution.intercept().sub(weight.mv(blocks.origin()));
        Tensor probabilities =
                choice.scores().mul(scalar(choice.best().temperature())).softmax(1);
        return new RidgeFit(
                scope.promote(FLOAT.place(weight)),
                scope.promote(FLOAT.place(bias)),
                choice.best(),
                choice.trials(),
                scope.promote(FLOAT.place(probabilities)));
    }

    /** Factors for a single relative λ; one decomposition for several. */
    private static DualRidge solver(Tensor G, int[] labels, int classes, List<Double> lambdas) {
        Tensor Y = indicators(labels, classes);
        return lambdas.size() == 1 ? DualRidge.factorise(G, Y, lambdas.get(0)) : DualRidge.decompose(G, Y);
    }

    /** 1 for a row's class, 0 for the others: [rows, classes]. */
    static Tensor indicators(int[] labels, int classes) {
        Tensor indicators = TensorBytes.allocate(TensorType.F64, labels.length, classes);
        indicators.zero_();
        DoubleBuffer numbers = buffer(indicators);
        for (int row = 0; row < labels.length; row++) {
            numbers.put(row * classes + labels[row], 1);
        }
        return indicators;
    }

    private static DoubleBuffer buffer(Tensor doubles) {
        return TensorBytes.memory(doubles).order(ByteOrder.nativeOrder()).asDoubleBuffer();
    }

    private static void check(String what, Descriptors rows, int[] labels, int classes) {
        checkLabels(what, rows, labels, classes);
        if (rows.count() < 2) {
            throw new IllegalArgumentException(
                    "training needs at least 2 images but has " + rows.count() + "; add images");
        }
        if (Arrays.stream(labels).distinct().count() < 2) {
            throw new IllegalArgumentException("all " + rows.count() + " training images are of class number "
                    + labels[0] + "; add images of at least one other class");
        }
    }

    private static void checkLabels(String what, Descriptors rows, int[] labels, int classes) {
        if (rows.count() < 1 || rows.count() != labels.length) {
            throw new IllegalArgumentException(
                    "expected one label for each " + what + " image, of which there must be some," + " but there are "
                            + rows.count() + " images and " + labels.length + " labels");
        }
        for (int label : labels) {
            if (label < 0 || label >= classes) {
                throw new IllegalArgumentException(
                        "labels of " + what + " images must lie in 0.." + (classes - 1) + " but one is " + label);
            }
        }
    }

    private static void checkSize(Descriptors rows) {
        if (rows.count() > MOST_ROWS) {
            throw new IllegalArgumentException("the ridge classifier takes at most " + MOST_ROWS + " rows but got "
                    + rows.count() + "; use the softmax classifier (refit: never)");
        }
    }
}
