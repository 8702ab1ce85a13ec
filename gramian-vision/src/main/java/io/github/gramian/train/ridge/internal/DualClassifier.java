package io.github.gramian.train.ridge.internal;

import io.github.gramian.eval.conformal.internal.HeldOutScores;
import io.github.gramian.recipe.ClassesConfig.Weights;
import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.tensor.Scope;
import io.github.gramian.train.descriptor.internal.RowBlocks;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;
import org.bytedeco.pytorch.Tensor;

/**
 * The classifier by {@link DualRidge}, for few rows of many dimensions. Takes about 6 n² doubles of memory in addition to the rows,
 * and O(n³) time.
 */
final class DualClassifier {

    private final int classes;
    private final RidgeConfig config;
    private final Weights weights;

    DualClassifier(int classes, RidgeConfig config) {
        this(classes, config, Weights.NONE);
    }

    DualClassifier(int classes, RidgeConfig config, Weights weights) {
        this.classes = classes;
        this.config = config;
        this.weights = weights;
    }

    /** Chooses by leaving out one group at a time, such as an image with all of its versions. */
    RidgeFit leavingOut(LabelledRows rows) {
        RowGroups groups = RowGroups.of(rows.groups());
        double[] ofClass = weights.of(rows.labels(), classes);
        try (Scope scope = Scope.open();
                RowBlocks blocks = new RowBlocks(rows.rows(), config);
                DualRidge ridge = solver(blocks.gram(), rows.labels(), ofClass)) {
            return finish(
                    scope,
                    ridge,
                    blocks,
                    choose(ridge.scale(), judge(rows, ofClass), lambda -> ridge.leaveGroupsOut(lambda, groups)));
        }
    }

    /** Chooses by validation rows. */
    RidgeFit validated(LabelledRows training, LabelledRows validation) {
        long n = training.count();
        double[] ofClass = weights.of(training.labels(), classes);
        try (Scope scope = Scope.open();
                RowBlocks blocks = new RowBlocks(training.rows().then(validation.rows()), config)) {
            Tensor G = blocks.gram();
            Tensor cross = G.narrow(0, n, validation.count()).narrow(1, 0, n);
            try (DualRidge ridge = solver(G.narrow(0, 0, n).narrow(1, 0, n), training.labels(), ofClass)) {
                Choice choice = choose(ridge.scale(), judge(validation, ofClass), lambda -> {
                    DualRidge.Solution solution = ridge.solve(lambda);
                    return cross.matmul(solution.alpha()).add(solution.intercept());
                });
                return finish(scope, ridge, blocks, choice);
            }
        }
    }

    /** The chosen penalty, all that were tried, and the scores that the chosen one gave. */
    private record Choice(RidgeFit.Trial best, List<RidgeFit.Trial> trials, HeldOutScores heldOut) {}

    private HeldOut judge(LabelledRows rows, double[] ofClass) {
        return new HeldOut(rows.labels(), classes, HeldOut.weights(rows.labels(), ofClass));
    }

    private Choice choose(double unit, HeldOut judge, DoubleFunction<Tensor> heldOutScores) {
        List<RidgeFit.Trial> trials = new ArrayList<>();
        for (double relative : config.lambdas()) {
            try (Scope step = Scope.open()) {
                trials.add(judge.trial(relative, unit, heldOutScores.apply(relative * unit)));
            }
        }
        RidgeFit.Trial best = RidgeFit.Trial.best(trials, judge.independent());
        try (Scope step = Scope.open()) {
            HeldOutScores heldOut =
                    HeldOutScores.of(HeldOut.values(heldOutScores.apply(best.lambda())), judge.labels(), classes);
            return new Choice(best, trials, heldOut);
        }
    }

    /** Weights of rows relative to the blocks' origin are those of the rows themselves with another bias. */
    private static RidgeFit finish(Scope scope, DualRidge ridge, RowBlocks blocks, Choice choice) {
        DualRidge.Solution solution = ridge.solve(choice.best().lambda());
        Tensor weight = blocks.weights(solution.alpha());
        Tensor bias = solution.intercept().sub(weight.mv(blocks.origin()));
        return RidgeFit.of(scope, new RidgeFit.Linear(weight, bias), choice.best(), choice.trials(), choice.heldOut());
    }

    /** Factors for a single relative λ; one decomposition for several. */
    private DualRidge solver(Tensor G, int[] labels, double[] ofClass) {
        Tensor Y = HeldOut.indicators(labels, classes);
        double[] ofRow = HeldOut.weights(labels, ofClass);
        List<Double> lambdas = config.lambdas();
        return lambdas.size() == 1
                ? DualRidge.factorise(G, Y, ofRow, lambdas.get(0))
                : DualRidge.decompose(G, Y, ofRow);
    }
}
