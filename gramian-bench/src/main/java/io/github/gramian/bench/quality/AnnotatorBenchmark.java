package io.github.gramian.bench.quality;

import io.github.gramian.eval.internal.Spread;
import io.github.gramian.label.internal.LabelSession;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How many labels choosing saves. A simulated annotator knows all labels and gives one after the other: of images that a
 * {@link LabelSession} asks for, or of random ones. After each round, the classifier of the session predicts images that nobody
 * labels. Both start without labels and without classes.
 *
 * @param descriptors of all images
 * @param truth class of each image
 * @param heldOut whether each image is only predicted, and never labelled
 * @param round labels between two suggestions
 */
@SuppressWarnings("ArrayRecordComponent") // read only
public record AnnotatorBenchmark(float[][] descriptors, int[] truth, boolean[] heldOut, int round) {

    /** Each draw leaves out some images, so that the draws of the chosen labels differ as well. */
    private static final double SHARE = 0.9;

    /**
     * The accuracy after some labels, over the draws.
     *
     * @param labels number of labels so far
     * @param chosen accuracy with chosen labels
     * @param random accuracy with random labels
     * @param difference chosen − random, draw by draw
     */
    public record Point(int labels, Spread chosen, Spread random, Spread difference) {

        /** The standard error of the mean difference. */
        public double error() {
            return difference.deviation() / Math.sqrt(difference.runs());
        }
    }

    /**
     * Labels images in several draws.
     *
     * @param labels number of labels at the end
     * @param seeds number of draws
     */
    public List<Point> run(int labels, int seeds) {
        List<double[]> chosen = new ArrayList<>();
        List<double[]> random = new ArrayList<>();
        for (int seed = 1; seed <= seeds; seed++) {
            chosen.add(curve(labels, seed, true));
            random.add(curve(labels, seed, false));
        }
        List<Point> points = new ArrayList<>();
        for (int place = 0; place < chosen.get(0).length; place++) {
            int at = place;
            points.add(new Point(
                    Math.min(labels, (place + 1) * round),
                    spread(chosen.stream().map(curve -> curve[at])),
                    spread(random.stream().map(curve -> curve[at])),
                    spread(IntStream.range(0, seeds).mapToObj(draw -> chosen.get(draw)[at] - random.get(draw)[at]))));
        }
        return points;
    }

    private static Spread spread(Stream<Double> values) {
        return Spread.of(values.toList());
    }

    /** The fewest chosen labels with the accuracy of a number of random ones; empty if there are not enough. */
    public static OptionalInt needed(List<Point> points, int random) {
        double goal = points.stream()
                .filter(point -> point.labels() == random)
                .findFirst()
                .orElseThrow()
                .random()
                .mean();
        return points.stream()
                .filter(point -> point.chosen().mean() >= goal)
                .mapToInt(Point::labels)
                .findFirst();
    }

    private double[] curve(int labels, long seed, boolean choose) {
        Seed draw = new Seed(seed).child("annotator");
        int[] pool = pool(draw.child("pool").random());
        Set<Integer> open = new HashSet<>();
        IntStream.of(pool).forEach(open::add);
        List<Double> accuracies = new ArrayList<>();
        try (LabelSession session = LabelSession.of(descriptors, draw)) {
            IntStream.rangeClosed(0, IntStream.of(truth).max().orElseThrow()).forEach(label -> session.addClass());
            for (int done = 0; done < labels; done += round) {
                int count = Math.min(round, labels - done);
                int from = done;
                IntPredicate candidates = open::contains;
                int[] images = choose
                        ? session.next(count, candidates)
                        : IntStream.range(from, from + count).map(i -> pool[i]).toArray();
                for (int image : images) {
                    session.label(image, truth[image]);
                    open.remove(image);
                }
                accuracies.add(accuracy(session));
            }
        }
        return accuracies.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** Some of the images that may be labelled, in random order. */
    private int[] pool(SplittableRandom random) {
        int[] all = IntStream.range(0, truth.length)
                .filter(image -> !heldOut[image])
                .toArray();
        for (int i = all.length - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int moved = all[i];
            all[i] = all[other];
            all[other] = moved;
        }
        return Arrays.copyOf(all, (int) (SHARE * all.length));
    }

    /** The number of labels that each draw can give. */
    public int available() {
        return (int) (SHARE
                * IntStream.range(0, truth.length)
                        .filter(image -> !heldOut[image])
                        .count());
    }

    private double accuracy(LabelSession session) {
        int right = 0;
        int count = 0;
        for (int image = 0; image < truth.length; image++) {
            if (heldOut[image]) {
                double[] p = session.probabilities(image);
                int best = 0;
                for (int label = 1; label < p.length; label++) {
                    best = p[label] > p[best] ? label : best;
                }
                right += best == truth[image] ? 1 : 0;
                count++;
            }
        }
        return (double) right / count;
    }
}
