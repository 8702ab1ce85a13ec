package io.github.gramian.bench.quality;

import io.github.gramian.train.ridge.internal.CrossValidation;
import io.github.gramian.train.ridge.internal.LeftOutScores;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Images that a classifier in closed form is fitted to, and others that it predicts. All images outside of the fit form one group:
 * the scores of a group that is left out are those of the fit to all other images.
 *
 * @param rows of all images
 * @param heldOut whether each image is outside of the fit
 */
@SuppressWarnings("ArrayRecordComponent") // read only
record HeldOutImages(CrossValidation rows, boolean[] heldOut) {

    /** The images inside of the fit. */
    int[] fitted() {
        return IntStream.range(0, heldOut.length)
                .filter(image -> !heldOut[image])
                .toArray();
    }

    /**
     * The share of images outside of the fit whose class is predicted.
     *
     * @param labels of the images inside of the fit
     * @param truth classes of all images
     */
    double accuracy(int[] labels, int[] truth, double relativeLambda) {
        int[] all = truth.clone();
        int[] groups = new int[truth.length];
        Arrays.fill(groups, truth.length);
        int[] fitted = fitted();
        for (int place = 0; place < fitted.length; place++) {
            all[fitted[place]] = labels[place];
            groups[fitted[place]] = fitted[place];
        }
        LeftOutScores scores = LeftOutScores.of(rows, all, groups, List.of(relativeLambda));
        int[] outside = IntStream.range(0, heldOut.length)
                .filter(image -> heldOut[image])
                .toArray();
        long right = IntStream.of(outside)
                .filter(image ->
                        scores.score(image, truth[image]) > scores.score(image, scores.bestOther(image, truth[image])))
                .count();
        return (double) right / outside.length;
    }

    /** Some elements of an array. */
    static int[] some(int[] values, int[] places) {
        return IntStream.of(places).map(place -> values[place]).toArray();
    }
}
