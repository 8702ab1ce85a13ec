package io.github.gramian.train.novelty.internal;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Folds of training images. All images of a group are in one fold, since a new image comes from a new group.
 *
 * @param folds number of the fold of each image
 * @param count number of folds
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not compared
record NoveltyFolds(int[] folds, int count) {

    private static final int MIN_FOLDS = 10;
    private static final int MAX_FOLDS = 40;

    /** Images over folds: with few images, a fit is fast, and each image that is held out changes it more. */
    private static final int PRODUCT = 20_000;

    /** Deals groups to folds in turn. Images are sorted by class, so each fold has images of all classes. */
    static NoveltyFolds of(int[] groups) {
        Map<Integer, Integer> places = new HashMap<>();
        for (int group : groups) {
            places.putIfAbsent(group, places.size());
        }
        int wanted = Math.max(MIN_FOLDS, Math.min(MAX_FOLDS, PRODUCT / Math.max(1, groups.length)));
        int count = Math.min(wanted, places.size());
        int[] folds = IntStream.of(groups)
                .map(group -> places.getOrDefault(group, 0) % count)
                .toArray();
        return new NoveltyFolds(folds, count);
    }

    /** The images of a fold. */
    int[] inside(int fold) {
        return IntStream.range(0, folds.length).filter(i -> folds[i] == fold).toArray();
    }

    /** The images of all other folds. */
    int[] outside(int fold) {
        return IntStream.range(0, folds.length).filter(i -> folds[i] != fold).toArray();
    }
}
