package io.github.gramian.train.ridge.internal;

import io.github.gramian.certainty.internal.Temperature;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Blas;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;

/**
 * The scores of every image by a classifier that was fitted to all images outside its group. They are exact, and nothing is
 * refitted. An image that is alone in its group is left out alone.
 *
 * @param classes number of scores per image
 * @param scores image after image
 * @param temperature factor of the scores in the softmax that gives the given labels the best likelihood
 * @param accuracy share of images whose given label has the largest score
 * @param relativeLambda the chosen penalty
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
public record LeftOutScores(int classes, double[] scores, double temperature, double accuracy, double relativeLambda) {

    /** As in a search: one penalty per decade, since accuracies are flat between them. */
    public static final List<Double> LAMBDAS = List.of(0.01, 0.1, 1.0);

    /**
     * An image whose given label the other images contradict.
     *
     * @param image its place
     * @param suggested the class with the largest score
     * @param score how much more probable that class is: its probability over the sum of both, 0.5 to 1
     */
    public record Contradiction(int image, int suggested, double score) {}

    /**
     * Leaves out one group at a time.
     *
     * @param labels the class of each image; they need not be those that the rows came with
     * @param groups number of the group of each image, from 0
     * @param lambdas relative penalties, of which the scores themselves choose
     */
    public static LeftOutScores of(CrossValidation rows, int[] labels, int[] groups, List<Double> lambdas) {
        Judge judge = new Judge(labels, rows.classes());
        LeaveOut grouped = LeaveOut.groups(groups);
        List<RidgeFit.Trial> trials = new ArrayList<>();
        List<double[]> scores = new ArrayList<>();
        try (Scope scope = Scope.open();
                Blas.AllThreads span = Blas.allThreads()) {
            Tensor Y = Judge.indicators(labels, rows.classes());
            for (double relative : lambdas) {
                try (Scope step = Scope.open()) {
                    rows.inverse(relative).ifPresent(Q -> {
                        double[] found = Judge.values(Y.sub(grouped.residuals(Q.matmul(Y), LeaveOut.matrix(Q))));
                        trials.add(judge.trial(relative, rows.unit(), found));
                        scores.add(found);
                    });
                }
            }
        }
        if (trials.isEmpty()) {
            throw CrossValidation.noPenaltyFits();
        }
        RidgeFit.Trial best = RidgeFit.Trial.best(trials, labels.length);
        return new LeftOutScores(
                rows.classes(),
                scores.get(trials.indexOf(best)),
                best.temperature(),
                best.accuracy(),
                best.relativeLambda());
    }

    /** Number of images. */
    public int images() {
        return scores.length / classes;
    }

    /** The score of an image for a class. */
    public double score(int image, int label) {
        return scores[image * classes + label];
    }

    /** The class with the largest score other than a given one; the first of equal ones. */
    public int bestOther(int image, int given) {
        int best = given == 0 ? 1 : 0;
        for (int label = 0; label < classes; label++) {
            if (label != given && score(image, label) > score(image, best)) {
                best = label;
            }
        }
        return best;
    }

    /** How much more another label speaks for an image than a given one: the difference of their scores. */
    public double margin(int image, int given) {
        return score(image, bestOther(image, given)) - score(image, given);
    }

    /** The images whose given labels are contradicted. Nothing speaks for a label that only one group has, so these are left out. */
    public List<Contradiction> contradictions(int[] labels, int[] groups) {
        Map<Integer, Set<Integer>> groupsOf = new HashMap<>();
        for (int image = 0; image < labels.length; image++) {
            groupsOf.computeIfAbsent(labels[image], label -> new HashSet<>()).add(groups[image]);
        }
        return IntStream.range(0, labels.length)
                .filter(image -> margin(image, labels[image]) > 0
                        && groupsOf.getOrDefault(labels[image], Set.of()).size() > 1)
                .mapToObj(image -> new Contradiction(
                        image,
                        bestOther(image, labels[image]),
                        1 / (1 + Math.exp(-temperature * margin(image, labels[image])))))
                .toList();
    }

    /** The probabilities of an image's classes. */
    public double[] probabilities(int image) {
        return Temperature.probabilities(
                Arrays.copyOfRange(scores, image * classes, (image + 1) * classes), temperature);
    }
}
