package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
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
 * Folds of images that have several versions: the classifier in closed form is fitted to the first versions of all images outside
 * of a fold, and predicts other versions of the images inside, such as corrupted copies. Exact, without refitting.
 *
 * <p>Of the fitted rows, Q and α are those of {@link CrossValidation}. Without the rows F of a fold, α' = α − Q_·F Q_FF⁻¹ α_F, which
 * is 0 on F. The score of another row x is Σ_j α'_j ⟨x, x_j⟩ + b, where b makes the residuals of the fitted rows λα'. Since the α'_j
 * of a class sum to 0, the products may be relative to any mean.
 *
 * <p>The penalty of a fold is the best for the fitted rows of the other folds, each predicted by a classifier that its own fold was
 * left out of.
 */
public final class VersionFolds {

    private final Tensor products;
    private final int[] labels;
    private final int classes;
    private final int images;
    private final int fitted;

    /** The fitted rows. */
    private final Judge judge;

    /**
     * @param rows descriptors of all images in the first version, then of all in the second, and so on
     * @param images number of images
     * @param versions number of versions that the classifier is fitted to; there must be more
     */
    public VersionFolds(CrossValidation rows, int images, int versions) {
        this.products = rows.gram();
        this.labels = rows.labels();
        this.classes = rows.classes();
        this.images = images;
        this.fitted = images * versions;
        if (labels.length % images != 0 || labels.length <= fitted) {
            throw new IllegalArgumentException(labels.length + " rows are not " + images
                    + " images in more versions than the " + versions + " to fit");
        }
        this.judge = new Judge(Arrays.copyOf(labels, fitted), classes, Arrays.copyOf(rows.weights(), fitted));
    }

    /** What one penalty gives in one fold. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Fold(int[] predicted, int[] rows, double[] heldOut) {}

    /**
     * The predicted class of each image, in a version that no classifier was fitted to: partition by partition another version, and
     * the first one again after the last.
     *
     * @param partitions the fold of each image, from 0, at least two folds, none of them empty
     * @param lambdas relative penalties to choose from
     * @return for each partition, the class of each image
     */
    public List<int[]> predict(List<int[]> partitions, List<Double> lambdas) {
        try (Scope scope = Scope.open();
                Blas.AllThreads span = Blas.allThreads()) {
            Tensor inner = products.narrow(0, 0, fitted).narrow(1, 0, fitted);
            CentredGram centred = CentredGram.of(inner.clone(), judge.weights());
            double unit = centred.spread() > 0 ? centred.spread() : 1;
            Tensor roots = Judge.roots(judge.weights());
            Tensor Y = Judge.indicators(judge.labels(), classes).mul_(roots);
            List<Double> used = new ArrayList<>();
            List<List<List<Fold>>> found = new ArrayList<>();
            for (double relative : lambdas) {
                try (Scope step = Scope.open()) {
                    centred.inverse(0, relative * unit).ifPresent(Q -> {
                        found.add(partitions(partitions, new Fit(Q, Q.matmul(Y), Y, roots, relative * unit)));
                        used.add(relative);
                    });
                }
            }
            if (used.isEmpty()) {
                throw CrossValidation.noPenaltyFits();
            }
            return IntStream.range(0, partitions.size())
                    .mapToObj(p -> chosen(
                            partitions.get(p),
                            used,
                            unit,
                            found.stream().map(one -> one.get(p)).toList()))
                    .toList();
        }
    }

    /** All fitted rows and targets, times √w, with one penalty. */
    private record Fit(Tensor Q, Tensor alpha, Tensor Y, Tensor roots, double lambda) {}

    private List<List<Fold>> partitions(List<int[]> partitions, Fit fit) {
        List<List<Fold>> all = new ArrayList<>();
        int others = labels.length / images - fitted / images;
        for (int p = 0; p < partitions.size(); p++) {
            List<Fold> folds = new ArrayList<>();
            for (int[] inside : inside(partitions.get(p))) {
                try (Scope step = Scope.open()) {
                    folds.add(leaveOut(inside, fitted + p % others * images, fit));
                }
            }
            all.add(folds);
        }
        return all;
    }

    /** The images of each fold. */
    private static List<int[]> inside(int[] folds) {
        int count = Arrays.stream(folds).max().orElseThrow() + 1;
        return IntStream.range(0, count)
                .mapToObj(fold -> IntStream.range(0, folds.length)
                        .filter(i -> folds[i] == fold)
                        .toArray())
                .toList();
    }

    private Fold leaveOut(int[] inside, int predictedFrom, Fit fit) {
        Placement placement = Placement.of(fit.Q);
        int[] rows = IntStream.range(0, fitted / images)
                .flatMap(version -> Arrays.stream(inside).map(i -> version * images + i))
                .toArray();
        Tensor F = HostCopy.labels(rows, placement);
        Tensor QF = fit.Q.index_select(0, F);
        Tensor L = torch.linalg_cholesky(QF.index_select(1, F));
        Tensor residuals = torch.cholesky_solve(fit.alpha.index_select(0, F), L);
        Tensor alpha = fit.alpha.sub(QF.t().matmul(residuals));
        Tensor inner = products.narrow(0, 0, fitted).narrow(1, 0, fitted);
        Tensor ofRow = alpha.mul(fit.roots);
        Tensor left = fit.Y.sub(alpha.mul(scalar(fit.lambda))).div_(fit.roots).sub(inner.matmul(ofRow));
        Tensor bias = left.sum(0).sub(left.index_select(0, F).sum(0)).div(scalar(fitted - rows.length));
        int[] asked = Arrays.stream(inside).map(i -> predictedFrom + i).toArray();
        Tensor scores = products.index_select(0, HostCopy.labels(asked, placement))
                .narrow(1, 0, fitted)
                .matmul(ofRow)
                .add(bias);
        return new Fold(
                CrossValidation.best(Judge.values(scores), classes),
                rows,
                Judge.values(fit.Y.index_select(0, F).sub(residuals).div_(fit.roots.index_select(0, F))));
    }

    /** In each fold what the penalty predicts that is best for the fitted rows of the other folds. */
    private int[] chosen(int[] folds, List<Double> lambdas, double unit, List<List<Fold>> found) {
        List<int[]> inside = inside(folds);
        int[] predicted = new int[images];
        for (int fold = 0; fold < inside.size(); fold++) {
            List<RidgeFit.Trial> trials = new ArrayList<>();
            int independent = 0;
            for (int i = 0; i < lambdas.size(); i++) {
                List<Fold> others = new ArrayList<>(found.get(i));
                others.remove(fold);
                int[] rows = others.stream()
                        .flatMapToInt(one -> Arrays.stream(one.rows))
                        .toArray();
                double[] heldOut = others.stream()
                        .flatMapToDouble(one -> Arrays.stream(one.heldOut))
                        .toArray();
                Judge left = judge.some(rows);
                independent = left.independent();
                trials.add(left.trial(lambdas.get(i), unit, heldOut));
            }
            int best = trials.indexOf(RidgeFit.Trial.best(trials, independent));
            int[] classesOfFold = found.get(best).get(fold).predicted;
            for (int i = 0; i < classesOfFold.length; i++) {
                predicted[inside.get(fold)[i]] = classesOfFold[i];
            }
        }
        return predicted;
    }
}
