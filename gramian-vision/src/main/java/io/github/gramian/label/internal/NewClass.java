package io.github.gramian.label.internal;

import io.github.gramian.tensor.Seed;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Finds images that no class resembles. The novelty of an image is 1 − its largest cosine with the mean of a class; that of a
 * labelled image is relative to the mean of the other images of its own class. An image is far from all classes if nine of
 * ten labelled images are less novel.
 */
final class NewClass {

    /** Fewer labelled images do not show how far images of a class are from its mean. */
    private static final int MIN_LABELLED = 10;

    /** A class worth suggesting has more than a pair of images. */
    private static final int MIN_MEMBERS = 3;

    private static final double QUANTILE = 0.9;
    private static final int IMAGES_PER_CLUSTER = 20;
    private static final int MAX_CLUSTERS = 64;

    private NewClass() {}

    /** The cluster with the most images that are far from all classes, if they are its majority and none has a label. */
    static Optional<int[]> of(ImageSpace space, LabelFit fit, int[] groups, Seed seed) {
        int[] labelled = fit.labelled();
        if (fit.ridge().isEmpty() || labelled.length < MIN_LABELLED) {
            return Optional.empty();
        }
        int classes = fit.ridge().get().leftOut().classes();
        float[][] sums = new float[classes][space.dimensions()];
        float[][] rows = space.rows(labelled);
        for (int place = 0; place < labelled.length; place++) {
            add(sums[fit.column(fit.label(labelled[place]))], rows[place], 1);
        }
        double[] within = within(fit, groups, rows, sums);
        if (within.length == 0) {
            return Optional.empty();
        }
        Arrays.sort(within);
        double far = within[(int) (QUANTILE * (within.length - 1))];
        float[][] cosines = space.cosines(sums);
        boolean[] novel = new boolean[space.images()];
        for (int image = 0; image < novel.length; image++) {
            int each = image;
            novel[image] = 1
                            - IntStream.range(0, classes)
                                    .mapToDouble(c -> cosines[c][each])
                                    .max()
                                    .orElseThrow()
                    > far;
        }
        int k = Math.min(MAX_CLUSTERS, Math.max(2 * classes, space.images() / IMAGES_PER_CLUSTER));
        return Arrays.stream(space.clusters(k, seed))
                .filter(members -> IntStream.of(members).allMatch(image -> fit.label(image) == LabelSession.NONE))
                .map(members ->
                        IntStream.of(members).filter(image -> novel[image]).toArray().length * 2 > members.length
                                ? members
                                : new int[0])
                .filter(members -> members.length >= MIN_MEMBERS)
                .findFirst();
    }

    /** The novelty of each labelled image whose class has images in other groups. */
    private static double[] within(LabelFit fit, int[] groups, float[][] rows, float[][] sums) {
        int[] labelled = fit.labelled();
        return IntStream.of(fit.predictable())
                .mapToDouble(place -> {
                    int image = labelled[place];
                    float[] others = sums[fit.column(fit.label(image))].clone();
                    for (int other = 0; other < labelled.length; other++) {
                        if (groups[labelled[other]] == groups[image]
                                && fit.label(labelled[other]) == fit.label(image)) {
                            add(others, rows[other], -1);
                        }
                    }
                    return 1 - ImageSpace.cosine(others, rows[place]);
                })
                .toArray();
    }

    private static void add(float[] sum, float[] row, float sign) {
        for (int k = 0; k < sum.length; k++) {
            sum[k] += sign * row[k];
        }
    }
}
