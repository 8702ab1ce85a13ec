package io.github.gramian.bench.quality;

import io.github.gramian.label.internal.LabelCheck;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.ridge.internal.CrossValidation;
import io.github.gramian.train.ridge.internal.LeftOutScores;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * What correcting the most suspicious labels is worth. Some training images get the class that the classifier confuses most with
 * their own; the list of suspicious labels is computed without knowing which; its first part is corrected, at once or in several
 * rounds. Test images, which take no part, show the accuracy before and after.
 *
 * @param rows of all images
 * @param truth class of each image
 * @param groups number of the group of each image
 * @param test whether each image is a test image
 */
@SuppressWarnings("ArrayRecordComponent") // read only
public record RepairBenchmark(CrossValidation rows, int[] truth, int[] groups, boolean[] test) {

    /**
     * One draw of wrong labels.
     *
     * @param seed of the draw
     * @param flipped number of wrong labels
     * @param shown number of labels that were looked at
     * @param found number of wrong labels among these
     * @param clean test accuracy without wrong labels
     * @param noisy test accuracy with them
     * @param corrected test accuracy when those that were found are corrected
     */
    public record Draw(long seed, int flipped, int shown, int found, double clean, double noisy, double corrected) {

        /** The part of the lost accuracy that correcting regains. */
        public double regained() {
            return (corrected - noisy) / (clean - noisy);
        }
    }

    /**
     * Draws wrong labels several times.
     *
     * @param share of the training images that get a wrong label
     * @param looked share of the images that somebody looks at, and corrects if they are wrong
     * @param rounds number of parts in which they are shown; before each one, the list is computed again with the labels so far
     * @param seeds number of draws
     */
    public List<Draw> run(double share, double looked, int rounds, int seeds) {
        HeldOutImages images = new HeldOutImages(rows, test);
        int[] places = images.fitted();
        int[] right = HeldOutImages.some(truth, places);
        int[] own = HeldOutImages.some(groups, places);
        try (CrossValidation training = rows.some(places)) {
            LeftOutScores scores = LeftOutScores.of(training, right, own, LabelCheck.LAMBDAS);
            int[] partners = partners(scores, right);
            double clean = images.accuracy(right, truth, scores.relativeLambda());
            return IntStream.rangeClosed(1, seeds)
                    .mapToObj(seed -> {
                        int[] order = shuffled(
                                right.length, new Seed(seed).child("confused").random());
                        int[] wrong = right.clone();
                        int flipped = (int) Math.round(share * right.length);
                        for (int i = 0; i < flipped; i++) {
                            wrong[order[i]] = partners[right[order[i]]];
                        }
                        LeftOutScores noisy = LeftOutScores.of(training, wrong, own, LabelCheck.LAMBDAS);
                        int[] corrected = wrong.clone();
                        boolean[] seen = new boolean[right.length];
                        int shown = (int) Math.round(looked * right.length);
                        LeftOutScores now = noisy;
                        for (int round = 0; round < rounds; round++) {
                            int part = (int) ((long) shown * (round + 1) / rounds - (long) shown * round / rounds);
                            for (int image : suspicious(now, corrected, seen, part)) {
                                corrected[image] = right[image];
                                seen[image] = true;
                            }
                            now = LeftOutScores.of(training, corrected, own, LabelCheck.LAMBDAS);
                        }
                        return new Draw(
                                seed,
                                flipped,
                                shown,
                                (int) IntStream.range(0, right.length)
                                        .filter(image -> seen[image] && wrong[image] != right[image])
                                        .count(),
                                clean,
                                images.accuracy(wrong, truth, noisy.relativeLambda()),
                                images.accuracy(corrected, truth, now.relativeLambda()));
                    })
                    .toList();
        }
    }

    /** The class that images of each class are taken for most, by the probabilities without each image. */
    static int[] partners(LeftOutScores scores, int[] labels) {
        int classes = scores.classes();
        double[][] sums = new double[classes][classes];
        for (int image = 0; image < labels.length; image++) {
            double[] probabilities = scores.probabilities(image);
            for (int label = 0; label < classes; label++) {
                sums[labels[image]][label] += label == labels[image] ? 0 : probabilities[label];
            }
        }
        return IntStream.range(0, classes)
                .map(label -> IntStream.range(0, classes)
                        .filter(other -> other != label)
                        .boxed()
                        .max(Comparator.comparingDouble(other -> sums[label][other]))
                        .orElseThrow())
                .toArray();
    }

    /** The images whose labels are most suspicious, of those that nobody has seen. */
    private static int[] suspicious(LeftOutScores scores, int[] labels, boolean[] seen, int count) {
        return IntStream.range(0, labels.length)
                .filter(image -> !seen[image])
                .boxed()
                .sorted(Comparator.comparingDouble((Integer image) -> -LabelCheck.margin(scores, image, labels[image])))
                .limit(count)
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** 0 to n − 1 in random order. */
    static int[] shuffled(int n, SplittableRandom random) {
        int[] order = IntStream.range(0, n).toArray();
        for (int i = n - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int moved = order[i];
            order[i] = order[other];
            order[other] = moved;
        }
        return order;
    }
}
