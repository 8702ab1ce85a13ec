package io.github.gramian.label.internal;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Spreads suggestions over groups, since a second image of an object teaches little.
 *
 * @param groups number of the group of each image
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
record OpenGroups(int[] groups) {

    /**
     * The most uncertain image of each group without a label.
     *
     * @param open images that may be chosen
     */
    int[] representatives(int[] labelled, int[] open, float[] uncertainty) {
        Set<Integer> known = new HashSet<>();
        for (int image : labelled) {
            known.add(groups[image]);
        }
        Map<Integer, Integer> best = new HashMap<>();
        for (int image : open) {
            if (!known.contains(groups[image])) {
                best.merge(groups[image], image, (a, b) -> uncertainty[b] > uncertainty[a] ? b : a);
            }
        }
        return best.values().stream().mapToInt(Integer::intValue).sorted().toArray();
    }

    /** All of some images but those of others. */
    static int[] without(int[] images, int[] others) {
        Set<Integer> left = new HashSet<>();
        IntStream.of(others).forEach(left::add);
        return IntStream.of(images).filter(image -> !left.contains(image)).toArray();
    }
}
