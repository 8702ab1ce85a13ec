package io.github.gramian.cli.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SimilarOrderTest {

    /** Groups of different sizes, alike within and less so between, shuffled, with noise. */
    private static List<Integer> groups(Random random) {
        List<Integer> groups = new ArrayList<>();
        for (int size : new int[] {5, 12, 3, 20, 9, 9}) {
            int group = groups.isEmpty() ? 0 : groups.get(groups.size() - 1) + 1;
            groups.addAll(Collections.nCopies(size, group));
        }
        Collections.shuffle(groups, random);
        return groups;
    }

    private static double[][] matrix(List<Integer> groups, Random random) {
        double[][] values = new double[groups.size()][groups.size()];
        for (int i = 0; i < values.length; i++) {
            for (int j = 0; j <= i; j++) {
                double alike = groups.get(i).equals(groups.get(j)) ? 0.7 : 0.3;
                values[i][j] = i == j ? 1 : alike + 0.1 * random.nextDouble();
                values[j][i] = values[i][j];
            }
        }
        return values;
    }

    @Test
    void a_shuffled_matrix_of_blocks_comes_out_in_blocks() {
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            List<Integer> groups = groups(random);
            List<Integer> order = SimilarOrder.of(matrix(groups, random));
            assertThat(order)
                    .hasSameElementsAs(IntStream.range(0, groups.size()).boxed().toList());
            long changes = IntStream.range(1, order.size())
                    .filter(i -> !groups.get(order.get(i)).equals(groups.get(order.get(i - 1))))
                    .count();
            assertThat(changes).as("places where a group ends").isEqualTo(5);
        }
    }

    @Test
    void a_chain_comes_out_as_a_chain() {
        List<Integer> places = new ArrayList<>(IntStream.range(0, 30).boxed().toList());
        Collections.shuffle(places, new Random(1));
        double[][] matrix = places.stream()
                .map(one -> places.stream()
                        .mapToDouble(other -> Math.exp(-0.1 * Math.abs(one - other)))
                        .toArray())
                .toArray(double[][]::new);
        double steps = 0;
        List<Integer> order = SimilarOrder.of(matrix);
        for (int i = 1; i < order.size(); i++) {
            steps += Math.abs(places.get(order.get(i)) - places.get(order.get(i - 1)));
        }
        assertThat(steps).as("all steps together; shuffled about 300").isLessThan(60);
    }

    @Test
    void the_same_matrix_gives_the_same_order_and_only_rows_and_columns_move() {
        Random random = new Random(3);
        double[][] matrix = matrix(groups(random), random);
        assertThat(SimilarOrder.of(matrix)).isEqualTo(SimilarOrder.of(matrix));
        double[][] applied = SimilarOrder.applied(matrix);
        assertThat(Arrays.stream(applied).flatMapToDouble(Arrays::stream).sorted())
                .containsExactlyElementsOf(Arrays.stream(matrix)
                        .flatMapToDouble(Arrays::stream)
                        .sorted()
                        .boxed()
                        .toList());
        for (int i = 0; i < applied.length; i++) {
            assertThat(applied[i][i]).as("the diagonal").isEqualTo(1);
        }
    }

    @Test
    void what_cannot_be_ordered_remains_in_place() {
        double[][] ragged = {{1, 2}, {1}, {}};
        assertThat(SimilarOrder.applied(ragged)).isEqualTo(ragged);
        assertThat(SimilarOrder.applied(new double[0][0])).isEmpty();
        double[][] unknown = new double[4][4];
        Arrays.stream(unknown).forEach(row -> Arrays.fill(row, Double.NaN));
        assertThat(SimilarOrder.of(unknown)).containsExactlyInAnyOrder(0, 1, 2, 3);
    }
}
