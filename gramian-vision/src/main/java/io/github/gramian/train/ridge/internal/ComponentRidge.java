package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.certainty.internal.Temperature;
import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Blas;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Ridge regression on class indicators for rows of a few hundred dimensions, of which only some have labels. It is fitted
 * again in milliseconds after every label: S = XᵀX = V diag(μ) Vᵀ of the centred labelled rows is small, and W = V diag(1/(μ +
 * λ)) VᵀXᵀY.
 *
 * <p>With z = Vᵀx and H = 1/n + Z diag(1/(μ + λ)) Zᵀ, the residuals of the rows F of a group that is left out are (I −
 * H_FF)⁻¹(Y − Ŷ)_F, as in {@link CrossValidation}. The result depends on the set of labels and not on their order.
 *
 * @param leftOut scores of the labelled rows by fits without their group
 * @param scores of all rows, row after row
 * @param relativeLambda the chosen penalty in units of the mean squared distance of a labelled row from their mean
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
public record ComponentRidge(LeftOutScores leftOut, float[] scores, double relativeLambda) {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    /** A row that alone decides its prediction has H = 1 up to rounding. */
    private static final double MIN_RESIDUAL = 1e-12;

    /** The penalty and the factor of scores while too few rows can choose them. */
    private static final double FIRST_LAMBDA = 0.1;

    private static final double FIRST_TEMPERATURE = 10;

    /**
     * The rows that have labels.
     *
     * @param rows their places, ascending
     * @param labels the class of each, from 0; every class has a row
     * @param groups number of the group of each; rows of a group are left out together
     * @param classes number of classes, two or more
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
    public record Labelled(int[] rows, int[] labels, int[] groups, int classes) {

        public Labelled {
            if (classes < 2 || rows.length < classes || labels.length != rows.length || groups.length != rows.length) {
                throw new IllegalArgumentException(
                        "a fit needs two classes, a row of each, and a label and a group per row;"
                                + " label images of at least two classes");
            }
        }

        /** Places among the labelled rows whose class has rows in other groups: only they can be predicted without theirs. */
        public int[] predictable() {
            int[] first = new int[classes];
            boolean[] several = new boolean[classes];
            Arrays.fill(first, -1);
            for (int i = 0; i < rows.length; i++) {
                several[labels[i]] |= first[labels[i]] >= 0 && groups[first[labels[i]]] != groups[i];
                first[labels[i]] = first[labels[i]] < 0 ? i : first[labels[i]];
            }
            return IntStream.range(0, rows.length)
                    .filter(i -> several[labels[i]])
                    .toArray();
        }
    }

    /**
     * Fits to the labelled rows, with the penalty that is best for rows that are left out.
     *
     * @param X all rows, relative to any origin: [n, d], float
     * @param lambdas relative penalties to choose from
     */
    public static ComponentRidge fit(Tensor X, Labelled labelled, List<Double> lambdas) {
        try (Scope scope = Scope.open();
                Blas.AllThreads span = Blas.allThreads()) {
            return new Fit(X, labelled).best(lambdas);
        }
    }

    /** The probabilities of a row's classes, at the temperature that rows which are left out choose. */
    public double[] probabilities(int row) {
        double[] own = new double[leftOut.classes()];
        for (int label = 0; label < own.length; label++) {
            own[label] = scores[row * own.length + label];
        }
        return Temperature.probabilities(own, leftOut.temperature());
    }

    /** The tensors of one fit, which belong to the caller's scope. */
    private static final class Fit {
        private final Tensor X;
        private final Labelled labelled;
        private final Tensor targets;
        private final Tensor mean;
        private final Tensor vectors;
        private final Tensor values;
        private final Tensor Z;
        private final Tensor projected;
        private final double unit;
        private final Judge all;

        Fit(Tensor X, Labelled labelled) {
            this.X = X;
            this.labelled = labelled;
            this.all = new Judge(labelled.labels, labelled.classes);
            this.targets = Judge.indicators(labelled.labels, labelled.classes);
            Tensor rows = DOUBLE.place(X.index_select(0, HostCopy.labels(labelled.rows, FLOAT)));
            this.mean = rows.mean(0);
            Tensor centred = rows.sub(mean);
            Symmetric.Eigen eigen = Symmetric.eigen(centred.t().matmul(centred));
            this.vectors = eigen.vectors();
            this.values = eigen.values().clamp_min(scalar(0.0));
            this.Z = centred.matmul(vectors);
            this.projected = Z.t().matmul(targets);
            double spread = centred.square().sum().item_double() / labelled.rows.length;
            this.unit = spread > 0 ? spread : 1;
        }

        ComponentRidge best(List<Double> lambdas) {
            int[] judged = labelled.predictable();
            if (judged.length < Temperature.MIN_ROWS) {
                double[] scores = leftOut(FIRST_LAMBDA);
                double accuracy = new Temperature(scores, labelled.labels, labelled.classes).accuracy();
                return result(scores, FIRST_TEMPERATURE, accuracy, FIRST_LAMBDA);
            }
            Judge judge =
                    new Judge(IntStream.of(judged).map(i -> labelled.labels[i]).toArray(), labelled.classes);
            List<RidgeFit.Trial> trials = new ArrayList<>();
            List<double[]> scores = new ArrayList<>();
            for (double relative : lambdas) {
                double[] found = leftOut(relative);
                scores.add(found);
                trials.add(judge.trial(relative, unit, some(found, judged)));
            }
            RidgeFit.Trial best = RidgeFit.Trial.best(trials, judged.length);
            double[] chosen = scores.get(trials.indexOf(best));
            double accuracy = new Temperature(chosen, all.labels(), all.classes()).accuracy();
            return result(chosen, best.temperature(), accuracy, best.relativeLambda());
        }

        private double[] some(double[] scores, int[] rows) {
            int classes = labelled.classes;
            double[] some = new double[rows.length * classes];
            for (int i = 0; i < rows.length; i++) {
                System.arraycopy(scores, rows[i] * classes, some, i * classes, classes);
            }
            return some;
        }

        private Tensor weights(double relative) {
            return values.add(scalar(relative * unit)).reciprocal_();
        }

        private double[] leftOut(double relative) {
            Tensor weights = weights(relative);
            Tensor fitted = Z.matmul(projected.mul(weights.unsqueeze(1))).add_(targets.mean(0));
            Tensor residuals = targets.sub(fitted);
            Tensor alone = LeaveOut.groups(labelled.groups).residuals(residuals, new Residual(weights));
            return Judge.values(targets.sub(alone));
        }

        /** I − H. */
        private final class Residual implements LeaveOut.Matrix {
            private final Tensor weights;
            private final double share = 1.0 / labelled.rows.length;

            Residual(Tensor weights) {
                this.weights = weights;
            }

            @Override
            public Tensor diagonal() {
                return Z.square()
                        .mv(weights)
                        .add_(scalar(share))
                        .neg_()
                        .add_(scalar(1))
                        .clamp_min(scalar(MIN_RESIDUAL));
            }

            @Override
            public Tensor blocks(Tensor places) {
                Tensor rows = Z.index_select(0, places.flatten()).reshape(places.size(0), places.size(1), Z.size(1));
                Tensor hat = rows.mul(weights).matmul(rows.transpose(1, 2)).add_(scalar(share));
                return torch.eye(places.size(1), DOUBLE.options())
                        .mul_(scalar(1 + MIN_RESIDUAL))
                        .sub(hat);
            }
        }

        private ComponentRidge result(double[] leftOut, double temperature, double accuracy, double relative) {
            Tensor weights = weights(relative);
            Tensor W = vectors.matmul(projected.mul(weights.unsqueeze(1)));
            Tensor bias = targets.mean(0).sub(W.t().mv(mean));
            Tensor scores = torch.addmm(FLOAT.place(bias), X, FLOAT.place(W));
            return new ComponentRidge(
                    new LeftOutScores(labelled.classes, leftOut, temperature, accuracy, relative),
                    HostCopy.floats(scores),
                    relative);
        }
    }
}
