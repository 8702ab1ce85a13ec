package io.github.gramian.train.ridge.internal;

import io.github.gramian.certainty.internal.CalibrationScores;
import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.train.descriptor.internal.DescriptorFile;
import io.github.gramian.train.descriptor.internal.Descriptors;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Ridge regression on class indicators for many rows of many dimensions, by {@link ConjugateGradients}. Memory grows with
 * neither n² nor d²; rows are asked for in every iteration, so they should be in memory or in a {@link DescriptorFile}.
 *
 * <p>Penalties are tried from the largest down, a few at once, each group from the solution of the one before. They end
 * where the last two are worse than the best by more than one standard error, and in their loss: smaller penalties cost the
 * most iterations, and would be worse still. They also end where {@link #TRIAL_ITERATIONS} do not suffice. Trials are solved
 * to {@link #TRIAL_TOLERANCE}, the one that is chosen to {@link #TOLERANCE}.
 *
 * <p>Rows that choose are validation rows, or every tenth group of the training rows, which is fitted to after the choice.
 */
public final class IterativeRidge {

    /** Scores that choose a penalty may be off by about this. */
    static final double TRIAL_TOLERANCE = 3e-4;

    /** Iterations for a group of penalties. */
    static final int TRIAL_ITERATIONS = 50;

    /** Scores in the end may be off by about this. */
    static final double TOLERANCE = 1e-7;

    private static final int MAX_ITERATIONS = 200;
    private static final int TOGETHER = 4;

    /** Matrices [d, c] of floats that a penalty needs while it is solved. */
    private static final double MATRICES = 12;

    private static final int HELD_OUT = 10;
    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    private final RidgeClassifier.Task task;
    private final Consumer<String> progress;
    private int iterations;

    /** @param progress takes a line now and then */
    public IterativeRidge(int classes, RidgeConfig config, Consumer<String> progress) {
        this(new RidgeClassifier.Task(classes, config), progress);
    }

    IterativeRidge(RidgeClassifier.Task task, Consumer<String> progress) {
        this.task = task;
        this.progress = progress;
    }

    /** Iterations so far, counted for each penalty. */
    public int iterations() {
        return iterations;
    }

    /** Chooses by every tenth row. */
    public RidgeFit fit(Descriptors rows, int[] labels) {
        return leavingOut(new RidgeClassifier.Rows(rows, labels));
    }

    /** Chooses by every tenth group of rows. */
    RidgeFit leavingOut(RidgeClassifier.Rows all) {
        boolean[] held = everyTenthGroup(all.groups());
        int[] heldOut = IntStream.range(0, all.count()).filter(row -> held[row]).toArray();
        return fit(all, task.ofClass(all.labels()), row -> !held[row], heldOut, true);
    }

    private static boolean[] everyTenthGroup(int[] groups) {
        Map<Integer, Integer> places = new HashMap<>();
        for (int group : groups) {
            places.putIfAbsent(group, places.size());
        }
        int every = Math.min(HELD_OUT, places.size());
        boolean[] held = new boolean[groups.length];
        for (int row = 0; row < held.length; row++) {
            held[row] = places.getOrDefault(groups[row], 0) % every == every - 1;
        }
        return held;
    }

    /** Chooses by validation rows. */
    public RidgeFit fit(Descriptors training, int[] labels, Descriptors validation, int[] validationLabels) {
        return validated(
                new RidgeClassifier.Rows(training, labels), new RidgeClassifier.Rows(validation, validationLabels));
    }

    RidgeFit validated(RidgeClassifier.Rows training, RidgeClassifier.Rows validation) {
        RidgeClassifier.Rows all = training.then(validation);
        int[] heldOut = IntStream.range(training.count(), all.count()).toArray();
        return fit(all, task.ofClass(training.labels()), row -> row < training.count(), heldOut, false);
    }

    /** Solves for the only penalty of the config, whose temperature is known. */
    public RidgeFit fit(Descriptors rows, int[] labels, double temperature) {
        return fit(new RidgeClassifier.Rows(rows, labels), temperature);
    }

    RidgeFit fit(RidgeClassifier.Rows all, double temperature) {
        double relative = task.config().lambdas().get(0);
        double[] ofRow = Judge.weights(all.labels(), task.ofClass(all.labels()));
        try (Scope scope = Scope.open();
                CentredRows X = new CentredRows(all.rows(), row -> true, ofRow);
                SubsetPreconditioner preconditioner = preconditioner(X)) {
            RidgeFit.Trial known =
                    new RidgeFit.Trial(relative, relative * X.scale(), Double.NaN, Double.NaN, temperature);
            Tensor start = torch.zeros(new long[] {X.length(), task.classes()}, FLOAT.options());
            CalibrationScores none = CalibrationScores.none(task.classes());
            return solved(scope, X, all, preconditioner, start, known, List.of(known), none);
        }
    }

    /** @param toAll whether rows that are held out are fitted to in the end */
    private RidgeFit fit(
            RidgeClassifier.Rows all, double[] ofClass, IntPredicate fitted, int[] heldOut, boolean toAll) {
        double[] ofRow = Judge.weights(all.labels(), ofClass);
        int[] labels = IntStream.of(heldOut).map(row -> all.labels()[row]).toArray();
        Judge judge = task.judge(labels, ofClass);
        try (Scope scope = Scope.open();
                CentredRows X = new CentredRows(all.rows(), fitted, ofRow);
                SubsetPreconditioner preconditioner = preconditioner(X)) {
            List<Tried> tried = path(X, preconditioner, all, heldOut, judge);
            List<RidgeFit.Trial> trials = tried.stream()
                    .map(Tried::trial)
                    .sorted(Comparator.comparingInt(
                            trial -> task.config().lambdas().indexOf(trial.relativeLambda())))
                    .toList();
            RidgeFit.Trial best = RidgeFit.Trial.best(trials, judge.independent());
            Tried chosen = tried.stream()
                    .filter(one -> one.trial.equals(best))
                    .findFirst()
                    .orElseThrow();
            Tensor held = X.products(chosen.W, heldOut).add(X.meanOf(Judge.indicators(all.labels(), task.classes())));
            CalibrationScores scores = CalibrationScores.of(Judge.values(held), judge.labels(), task.classes());
            if (!toAll) {
                return solved(scope, X, all, preconditioner, chosen.W, best, trials, scores);
            }
            try (CentredRows every = new CentredRows(all.rows(), row -> true, ofRow)) {
                return solved(scope, every, all, preconditioner, chosen.W, best, trials, scores);
            }
        }
    }

    /** One penalty with its solution: [d, c]. */
    private record Tried(RidgeFit.Trial trial, Tensor W) {}

    private List<Tried> path(
            CentredRows X, SubsetPreconditioner preconditioner, RidgeClassifier.Rows all, int[] heldOut, Judge judge) {
        Tensor Y = Judge.indicators(all.labels(), task.classes());
        Tensor B = X.correlation(Y);
        Tensor means = X.meanOf(Y);
        ConjugateGradients solver = new ConjugateGradients(X, preconditioner, TRIAL_ITERATIONS);
        List<Double> falling = task.config().lambdas().stream()
                .sorted(Comparator.reverseOrder())
                .toList();
        int together = (int) Math.max(
                1,
                Math.min(
                        TOGETHER,
                        task.config().memoryBudget() / (MATRICES * Float.BYTES * X.length() * task.classes())));
        List<Tried> tried = new ArrayList<>();
        Tensor start = torch.zeros(new long[] {X.length(), task.classes()}, FLOAT.options());
        for (int first = 0; first < falling.size(); first += together) {
            List<Double> group = falling.subList(first, Math.min(falling.size(), first + together));
            List<Tensor> solutions = solver.solve(
                    B, start, group.stream().map(one -> one * X.scale()).toList(), TRIAL_TOLERANCE);
            Tensor scores = X.products(ConjugateGradients.join(solutions), heldOut);
            for (int i = 0; i < group.size(); i++) {
                boolean solved = !solver.unfinished().contains(group.get(i) * X.scale());
                if (solved || tried.isEmpty()) {
                    Tensor own = scores.narrow(1, (long) i * task.classes(), task.classes())
                            .add(means);
                    tried.add(new Tried(judge.trial(group.get(i), X.scale(), own), solutions.get(i)));
                }
            }
            report(group, solver);
            boolean more = first + together < falling.size();
            if (!solver.unfinished().isEmpty() || (more && worse(tried, judge.independent()))) {
                Tried last = tried.get(tried.size() - 1);
                progress.accept("penalties below " + last.trial.relativeLambda() + " were not tried: "
                        + (solver.unfinished().isEmpty()
                                ? "accuracy and loss only got worse"
                                : "they would take more than " + TRIAL_ITERATIONS + " iterations"));
                break;
            }
            start = solutions.get(solutions.size() - 1);
        }
        iterations += solver.iterations();
        return tried;
    }

    private void report(List<Double> group, ConjugateGradients solver) {
        progress.accept(String.format(
                Locale.ROOT,
                "penalties %.3g to %.3g solved, %d iterations so far",
                group.get(0),
                group.get(group.size() - 1),
                iterations + solver.iterations()));
    }

    /** Whether the last two are worse than the best by more than one standard error, and in their loss. */
    private static boolean worse(List<Tried> tried, int rows) {
        double most =
                tried.stream().mapToDouble(one -> one.trial.accuracy()).max().orElseThrow();
        double least =
                tried.stream().mapToDouble(one -> one.trial.logLoss()).min().orElseThrow();
        double within = most - NetworkPredictions.standardError(most, rows);
        return tried.size() > 2
                && tried.subList(tried.size() - 2, tried.size()).stream()
                        .allMatch(one -> one.trial.accuracy() < within && one.trial.logLoss() > least);
    }

    private SubsetPreconditioner preconditioner(CentredRows X) {
        return SubsetPreconditioner.of(X, task.config().memoryBudget() / 2.0);
    }

    /** The fit with the penalty that was chosen, in units of these rows. */
    private RidgeFit solved(
            Scope scope,
            CentredRows X,
            RidgeClassifier.Rows all,
            SubsetPreconditioner preconditioner,
            Tensor start,
            RidgeFit.Trial chosen,
            List<RidgeFit.Trial> trials,
            CalibrationScores heldOut) {
        ConjugateGradients solver = new ConjugateGradients(X, preconditioner, MAX_ITERATIONS);
        Tensor Y = Judge.indicators(all.labels(), task.classes());
        Tensor W = solver.refine(X.correlation(Y), start, chosen.relativeLambda() * X.scale(), TOLERANCE);
        iterations += solver.iterations();
        if (solver.movement() > TOLERANCE) {
            progress.accept(String.format(
                    Locale.ROOT,
                    "conjugate gradients ended after %d iterations with scores that still moved by %.1g",
                    solver.iterations(),
                    solver.movement()));
        }
        Tensor weight = W.t().contiguous();
        Tensor bias = X.meanOf(Y).sub(weight.mv(X.mean()));
        return RidgeFit.of(scope, weight, bias, chosen, trials, heldOut);
    }
}
