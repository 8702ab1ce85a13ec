package io.github.gramian.bench.quality;

import io.github.gramian.dataset.Sample;
import io.github.gramian.label.internal.DescribedImages;
import io.github.gramian.label.internal.LabelCheck;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.ridge.internal.LeftOutScores;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * How well wrong labels are found: gives some images wrong labels at random, ranks all images by how suspicious their labels
 * are, and measures the average precision of the ranking. Leave-one-out, which {@code gramian data check} uses, stands next to
 * five folds of the same classifier, which confident learning uses.
 *
 * @param images that were described
 */
public record LabelBenchmark(DescribedImages images) {

    private static final int FOLDS = 5;

    /**
     * One draw of wrong labels.
     *
     * @param seed of the draw
     * @param flipped number of wrong labels
     * @param leaveOneOut average precision of the ranking by leave-one-out
     * @param folds average precision of the ranking by five folds
     * @param seconds that leave-one-out took
     */
    public record Draw(long seed, int flipped, double leaveOneOut, double folds, double seconds) {}

    /**
     * Draws wrong labels once.
     *
     * @param share of the images that get a wrong label
     */
    public Draw draw(int classes, double share, long seed) {
        SplittableRandom random = new Seed(seed).child("labels").random();
        List<Sample> samples = images.samples();
        int[] labels = samples.stream().mapToInt(Sample::label).toArray();
        Set<Integer> flipped = chosen(samples.size(), (int) Math.round(share * samples.size()), random);
        for (int image : flipped) {
            labels[image] = (labels[image] + 1 + random.nextInt(classes - 1)) % classes;
        }
        long start = System.nanoTime();
        double leaveOneOut = averagePrecision(margins(labels, images.groups()), flipped);
        double seconds = (System.nanoTime() - start) / 1e9;
        return new Draw(
                seed, flipped.size(), leaveOneOut, averagePrecision(margins(labels, folds(random)), flipped), seconds);
    }

    private double[] margins(int[] labels, int[] groups) {
        LeftOutScores scores = LeftOutScores.of(images.rows(), labels, groups, LabelCheck.LAMBDAS);
        return IntStream.range(0, labels.length)
                .mapToDouble(image -> LabelCheck.margin(scores, image, labels[image]))
                .toArray();
    }

    private static Set<Integer> chosen(int images, int count, SplittableRandom random) {
        Set<Integer> chosen = new HashSet<>();
        while (chosen.size() < count) {
            chosen.add(random.nextInt(images));
        }
        return chosen;
    }

    /** Groups stay together. */
    private int[] folds(SplittableRandom random) {
        int[] groups = images.groups();
        int[] foldOfGroup =
                random.ints(groups.length, 0, FOLDS).toArray(); // there are at most as many groups as images
        return IntStream.of(groups).map(group -> foldOfGroup[group]).toArray();
    }

    /** The mean, over the wrong labels, of the share of wrong labels among all that are ranked as high or higher. */
    static double averagePrecision(double[] suspicion, Set<Integer> wrong) {
        List<Integer> ranking =
                new ArrayList<>(IntStream.range(0, suspicion.length).boxed().toList());
        ranking.sort(
                Comparator.comparingDouble((Integer image) -> suspicion[image]).reversed());
        double sum = 0;
        int found = 0;
        for (int place = 0; place < ranking.size(); place++) {
            if (wrong.contains(ranking.get(place))) {
                found++;
                sum += (double) found / (place + 1);
            }
        }
        return wrong.isEmpty() ? Double.NaN : sum / wrong.size();
    }
}
