package io.github.gramian.model.explain.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.model.explain.internal.Explainer.ContributionMap.Grid;
import io.github.gramian.model.explain.internal.Explanation.Region;
import io.github.gramian.model.explain.internal.ViewLayout.View;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ContributionMapTest {

    private static final Region ALL = new Region(0, 0, 1, 1);

    private static float[] numbers(int count) {
        float[] values = new float[count];
        IntStream.range(0, count).forEach(i -> values[i] = i - 3);
        return values;
    }

    private static double sum(float[][] map) {
        double sum = 0;
        for (float[] row : map) {
            for (float value : row) {
                sum += value;
            }
        }
        return sum;
    }

    @Test
    void the_map_of_a_single_view_has_the_values_of_its_positions() {
        Region centre = new Region(0.25, 0.1, 0.5, 0.8);
        float[] values = numbers(12);
        float[][] map = Explainer.ContributionMap.of(centre, List.of(new Grid(new View(centre, false), 3, 4, values)))
                .values();
        assertThat(map).hasDimensions(3, 4);
        assertThat(map[0]).containsExactly(new float[] {-3, -2, -1, 0}, within(1e-5f));
        assertThat(map[2]).containsExactly(new float[] {5, 6, 7, 8}, within(1e-5f));
    }

    @Test
    void a_mirrored_view_adds_to_the_place_that_it_shows() {
        float[] values = {1, 2};
        float[][] map = Explainer.ContributionMap.of(ALL, List.of(new Grid(new View(ALL, true), 1, 2, values)))
                .values();
        assertThat(map[0]).containsExactly(new float[] {2, 1}, within(1e-6f));
    }

    @Test
    void grids_of_different_sizes_keep_their_sum() {
        View corner = new View(new Region(0, 0, 0.7, 0.7), false);
        List<Grid> grids = List.of(
                new Grid(new View(ALL, false), 7, 7, numbers(49)),
                new Grid(corner, 5, 3, numbers(15)),
                new Grid(new View(ALL, false), 1, 1, new float[] {4}));
        float[][] map = Explainer.ContributionMap.of(ALL, grids).values();
        double expected = grids.stream()
                .mapToDouble(grid -> IntStream.range(0, grid.values().length)
                        .mapToDouble(i -> grid.values()[i])
                        .sum())
                .sum();
        assertThat(map).hasDimensions(7, 7);
        assertThat(sum(map)).isCloseTo(expected, within(1e-3));
    }
}
