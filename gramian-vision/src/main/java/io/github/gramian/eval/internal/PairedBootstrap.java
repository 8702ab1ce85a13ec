package io.github.gramian.eval.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Where the mean difference of two models would lie on other splits and other images: splits are drawn anew, then runs
 * within each, then its images, with replacement; an image counts for both models, and for all runs that evaluated it.
 * Splits of one dataset overlap, so that the interval is rather too narrow than too wide.
 *
 * @param difference mean over runs of the second model's accuracy minus the first's
 * @param lower end of the 95 % interval (percentiles)
 * @param upper end of it
 */
public record PairedBootstrap(double difference, double lower, double upper) {

    /** How often splits and images are drawn. */
    public static final int DRAWS = 10_000;

    private static final double OUTSIDE = 0.025;

    /** The interval for these runs. */
    public static PairedBootstrap of(List<PairedRun> runs, long seed) {
        if (runs.isEmpty()) {
            throw new IllegalArgumentException("there are no runs that both models share; run both on the same splits");
        }
        List<Images> splits = grouped(runs);
        SplittableRandom random = new SplittableRandom(seed);
        double[] means = new double[DRAWS];
        for (int draw = 0; draw < DRAWS; draw++) {
            double sum = 0;
            for (int i = 0; i < splits.size(); i++) {
                sum += splits.get(random.nextInt(splits.size())).draw(random);
            }
            means[draw] = sum / splits.size();
        }
        Arrays.sort(means);
        double difference =
                runs.stream().mapToDouble(PairedRun::meanDifference).average().orElseThrow();
        return new PairedBootstrap(difference, percentile(means, OUTSIDE), percentile(means, 1 - OUTSIDE));
    }

    private static double percentile(double[] sorted, double share) {
        return sorted[(int) Math.round(share * (sorted.length - 1))];
    }

    private static List<Images> grouped(List<PairedRun> runs) {
        Map<String, List<PairedRun>> byImages = new LinkedHashMap<>();
        runs.forEach(run -> byImages.computeIfAbsent(run.images(), unused -> new ArrayList<>())
                .add(run));
        return byImages.values().stream().map(Images::new).toList();
    }

    /** The images of a split on which the models differ in some run; the others add nothing and need not be stored. */
    private static final class Images {
        private final int runs;
        private final int images;
        private final List<byte[]> differing = new ArrayList<>();
        private final double[] cumulated;

        Images(List<PairedRun> same) {
            runs = same.size();
            images = same.get(0).first().size();
            for (int i = 0; i < images; i++) {
                byte[] byRun = new byte[runs];
                boolean differs = false;
                for (int r = 0; r < runs; r++) {
                    byRun[r] = (byte) same.get(r).difference(i);
                    differs |= byRun[r] != 0;
                }
                if (differs) {
                    differing.add(byRun);
                }
            }
            cumulated = differing.size() == images
                    ? new double[images] // always all of them
                    : Binomial.probabilities(images, (double) differing.size() / images);
            for (int k = 1; k < cumulated.length; k++) {
                cumulated[k] += cumulated[k - 1];
            }
        }

        /** The mean difference on runs and images drawn anew. */
        double draw(SplittableRandom random) {
            int[] drawn = new int[runs];
            for (int r = 0; r < runs; r++) {
                drawn[r] = random.nextInt(runs);
            }
            long sum = 0;
            for (int left = hits(random); left > 0; left--) {
                byte[] byRun = differing.get(random.nextInt(differing.size()));
                for (int r : drawn) {
                    sum += byRun[r];
                }
            }
            return (double) sum / ((double) images * runs);
        }

        /** How many of as many draws as there are images fall on differing ones: binomial, and cheaper than to draw all. */
        private int hits(SplittableRandom random) {
            int found = Arrays.binarySearch(cumulated, random.nextDouble());
            return Math.min(images, found < 0 ? -found - 1 : found + 1);
        }
    }
}
