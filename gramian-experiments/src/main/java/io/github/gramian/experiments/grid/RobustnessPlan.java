package io.github.gramian.experiments.grid;

import io.github.gramian.image.corruption.internal.Corruption;
import io.github.gramian.image.corruption.internal.CorruptionType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The corrupted test images on which a grid evaluates all of its models.
 *
 * @param corruptions names of corruptions; {@code standard} and {@code all} stand for several
 * @param severities from 1 to 5
 * @param images number of test images, evenly spaced in the list sorted by path; 0 for all
 */
public record RobustnessPlan(List<String> corruptions, List<Integer> severities, int images) {

    public RobustnessPlan {
        corruptions = List.copyOf(corruptions);
        severities = List.copyOf(severities);
        if (severities.isEmpty()) {
            throw new IllegalArgumentException("robustness.severities is empty; write severities: [1, 3, 5]");
        }
        if (images < 0) {
            throw new IllegalArgumentException(
                    "robustness.images must be 0 for all test images, or a number of images, but is " + images);
        }
        cells(corruptions, severities);
    }

    /** Every corruption at every severity. */
    List<Corruption> cells() {
        return cells(corruptions, severities);
    }

    private static List<Corruption> cells(List<String> corruptions, List<Integer> severities) {
        List<Corruption> cells = new ArrayList<>();
        for (CorruptionType type : CorruptionType.list(corruptions)) {
            severities.forEach(severity -> cells.add(new Corruption(type, severity)));
        }
        return cells;
    }

    /** Indices of the evaluated images among all of them. */
    int[] chosen(int all) {
        int count = images == 0 ? all : Math.min(images, all);
        return IntStream.range(0, count)
                .map(i -> (int) ((long) i * all / count))
                .toArray();
    }
}
