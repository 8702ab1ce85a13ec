package io.github.gramian.dense.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.certainty.internal.Novelty;
import io.github.gramian.dense.internal.ClassMap.Cells;
import io.github.gramian.dense.internal.ClassMap.Parts;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClassMapTest {

    private static final int CHANNELS = 24;
    private static final int CLASSES = 3;
    private static final int SIDE = 9;
    private static final int WINDOW = 3;

    /** Feature maps of photographs: the class, what is common to a photograph, and what differs between its cells. */
    private static final class World {

        private final Random random;
        private final float[][] centres = new float[CLASSES + 1][CHANNELS];
        private final double ofPhotograph;

        World(long seed, double ofPhotograph) {
            this.random = new Random(seed);
            this.ofPhotograph = ofPhotograph;
            for (float[] centre : centres) {
                for (int c = 0; c < CHANNELS; c++) {
                    centre[c] = (float) (2 + 0.7 * random.nextGaussian());
                }
            }
        }

        /** [1, channels, height, width]; the last class is not among the training photographs. */
        Tensor photograph(int label, int height, int width) {
            float[] values = new float[CHANNELS * height * width];
            for (int c = 0; c < CHANNELS; c++) {
                double common = centres[label][c] + ofPhotograph * random.nextGaussian();
                for (int i = 0; i < height * width; i++) {
                    values[c * height * width + i] = (float) (common + 0.5 * random.nextGaussian());
                }
            }
            return torch.tensor(values).reshape(1, CHANNELS, height, width);
        }

        /** Fits to photographs of all classes in turn. */
        ClassMap fit(int photographs) {
            int[] labels = IntStream.range(0, photographs)
                    .map(i -> i * CLASSES / photographs)
                    .toArray();
            int[] groups = IntStream.range(0, photographs).toArray();
            return ClassMapFit.fit("layer", WINDOW, i -> photograph(labels[i], SIDE, SIDE), labels, groups, CLASSES);
        }
    }

    @Test
    void strips_give_the_cells_of_one_pass() {
        try (Scope scope = Scope.open()) {
            World world = new World(1, 0.1);
            ClassMap map = world.fit(30);
            Tensor features = world.photograph(1, 23, 17);
            Tensor strips = torch.cat(
                    new TensorVector(
                            map.reduce(0, features.narrow(2, 0, 5)),
                            map.reduce(0, features.narrow(2, 5, 1)),
                            map.reduce(0, features.narrow(2, 6, 17))),
                    2);
            Cells whole = map.cells(map.reduce(0, features));
            Cells joined = map.cells(strips);
            assertThat(joined.height()).isEqualTo(23);
            assertThat(joined.width()).isEqualTo(17);
            assertThat(joined.likeliest()).isEqualTo(whole.likeliest());
            assertThat(joined.probabilities()).containsExactly(whole.probabilities(), within(1e-5f));
            assertThat(joined.pValues()).containsExactly(whole.pValues(), within(1e-3f));
        }
    }

    @Test
    void every_part_of_a_photograph_gets_its_own_class() {
        try (Scope scope = Scope.open()) {
            World world = new World(2, 0.1);
            ClassMap map = world.fit(45);
            Tensor features = torch.cat(
                    new TensorVector(
                            world.photograph(2, 12, 20), world.photograph(0, 12, 20), world.photograph(3, 12, 20)),
                    2);
            Cells cells = map.cells(map.reduce(0, features));
            int[] labels = cells.labels(0.03);
            for (int row = 0; row < 36; row++) {
                for (int column = 0; row % 12 > 1 && row % 12 < 10 && column < 20; column++) {
                    int cell = row * 20 + column;
                    int found = row < 24 ? cells.likeliest()[cell] : labels[cell];
                    assertThat(found).as("row " + row).isEqualTo(row < 12 ? 2 : row < 24 ? 0 : CLASSES);
                    assertThat(labels[cell]).isIn(cells.likeliest()[cell], CLASSES);
                }
            }
            double[] shares = cells.shares(0.03);
            assertThat(shares).hasSize(CLASSES + 1);
            assertThat(DoubleStream.of(shares).sum()).isCloseTo(1, within(1e-9));
            assertThat(shares[0]).isCloseTo(1 / 3.0, within(0.1));
            assertThat(shares[2]).isCloseTo(1 / 3.0, within(0.1));
            assertThat(shares[CLASSES]).isCloseTo(1 / 3.0, within(0.1));
            assertThat(cells.shares(0)[CLASSES])
                    .as("nothing is unknown at level 0")
                    .isZero();
        }
    }

    @Test
    void scores_and_p_values_are_those_of_the_stored_arrays() {
        try (Scope scope = Scope.open()) {
            World world = new World(3, 0.3);
            ClassMap map = world.fit(24);
            Parts parts = map.parts();
            Novelty novelty = parts.novelty().orElseThrow();
            int components = parts.weight().length / CLASSES;
            Tensor features = world.photograph(3, 6, 5);
            Cells cells = map.cells(map.reduce(0, features));
            float[][] averages = HostCopy.rows(
                    ClassMap.windows(features, WINDOW).reshape(CHANNELS, -1).t());
            for (int i = 0; i < averages.length; i++) {
                float[] u = product(parts.basis(), averages[i], components);
                float length = (float) Math.sqrt(dot(u, u));
                for (int j = 0; j < u.length; j++) {
                    u[j] /= length;
                }
                float[] scores = product(parts.weight(), u, CLASSES);
                double sum = 0;
                double most = 0;
                for (int k = 0; k < CLASSES; k++) {
                    double e = Math.exp(parts.temperature() * (scores[k] + parts.bias()[k]));
                    sum += e;
                    most = Math.max(most, e);
                }
                assertThat(cells.probabilities()[i]).isCloseTo((float) (most / sum), within(1e-4f));
                double share = (novelty.pValue(u) * (1 + novelty.calibrationCount()) - 1) / novelty.calibrationCount();
                assertThat((double) cells.pValues()[i])
                        .isCloseTo((1 + 24 * share) / 25, within(2.0 / novelty.calibrationCount()));
            }
        }
    }

    private static float[] product(float[] matrix, float[] vector, int rows) {
        float[] product = new float[rows];
        for (int row = 0; row < rows; row++) {
            product[row] =
                    (float) dot(Arrays.copyOfRange(matrix, row * vector.length, (row + 1) * vector.length), vector);
        }
        return product;
    }

    private static double dot(float[] a, float[] b) {
        return IntStream.range(0, a.length)
                .mapToDouble(i -> (double) a[i] * b[i])
                .sum();
    }

    /** Also if the windows of a photograph are almost equal: they are no independent evidence. */
    @ParameterizedTest
    @ValueSource(doubles = {0.05, 0.6})
    void cells_of_known_classes_are_unknown_as_often_as_the_level_says(double ofPhotograph) {
        int datasets = 3;
        int training = 45;
        int tested = 90;
        double[] levels = {0.05, 0.1, 0.3};
        double[] unknown = new double[levels.length];
        for (int seed = 1; seed <= datasets; seed++) {
            try (Scope scope = Scope.open()) {
                World world = new World(seed, ofPhotograph);
                ClassMap map = world.fit(training);
                for (int i = 0; i < tested; i++) {
                    try (Scope step = Scope.open()) {
                        Cells cells = map.cells(map.reduce(0, world.photograph(i % CLASSES, SIDE, SIDE)));
                        for (int level = 0; level < levels.length; level++) {
                            // The middle, whose windows are as large as those of the training.
                            int middle = SIDE / 2 * SIDE + SIDE / 2;
                            unknown[level] += cells.pValues()[middle] < levels[level] ? 1 : 0;
                        }
                    }
                }
            }
        }
        for (int i = 0; i < levels.length; i++) {
            double level = levels[i];
            double deviation = Math.sqrt(level * (1 - level) * (1.0 / training + 1.0 / tested) / datasets);
            // A fit to fewer photographs calibrates, so that p-values are too large rather than too small.
            assertThat(unknown[i] / (datasets * tested))
                    .as("unknown at " + level)
                    .isBetween(0.3 * level - 3 * deviation, level + 3 * deviation);
        }
    }

    @Test
    void n_photographs_give_no_p_value_below_one_in_n_plus_one() {
        try (Scope scope = Scope.open()) {
            World world = new World(5, 0.1);
            ClassMap map = world.fit(30);
            assertThat(map.smallest()).isEqualTo(1 / 31.0);
            Cells cells = map.cells(map.reduce(0, world.photograph(3, SIDE, SIDE)));
            for (float p : cells.pValues()) {
                assertThat(p).isBetween((float) map.smallest(), 0.2f);
            }
        }
    }

    @Test
    void photographs_of_a_group_count_once() {
        try (Scope scope = Scope.open()) {
            World world = new World(6, 0.1);
            int[] labels = {0, 0, 0, 1, 1, 1, 2, 2, 2};
            int[] groups = {5, 5, 5, 7, 7, 8, 9, 9, 9};
            ClassMap map = ClassMapFit.fit(
                    "layer", WINDOW, i -> world.photograph(labels[i], SIDE, SIDE - 2), labels, groups, CLASSES);
            assertThat(map.parts().photographs()).isEqualTo(4);
            assertThat(map.smallest()).isEqualTo(0.2);
        }
    }

    @Test
    void the_same_photographs_give_the_same_bits() {
        try (Scope scope = Scope.open()) {
            Parts first = new World(7, 0.2).fit(30).parts();
            Parts second = new World(7, 0.2).fit(30).parts();
            assertThat(second.basis()).isEqualTo(first.basis());
            assertThat(second.weight()).isEqualTo(first.weight());
            assertThat(second.bias()).isEqualTo(first.bias());
            assertThat(second.temperature()).isEqualTo(first.temperature());
            assertThat(second.novelty().orElseThrow().calibration())
                    .isEqualTo(first.novelty().orElseThrow().calibration());
        }
    }

    @Test
    void scores_without_a_group_are_those_of_a_fit_without_it() {
        try (Scope scope = Scope.open()) {
            int[] labels = {0, 0, 0, 1, 1, 1, 2, 2, 2, 2};
            int[] groups = {1, 1, 2, 3, 4, 5, 6, 7, 8, 9};
            float[] values = new float[40];
            Random random = new Random(8);
            for (int i = 0; i < values.length; i++) {
                values[i] = (float) random.nextGaussian() + labels[i / 4];
            }
            Tensor rows = torch.tensor(values).reshape(10, 4);
            GroupedRidge all = new GroupedRidge(rows, labels, groups, CLASSES);
            // Row 2 is alone; rows 0 and 1 are left out together.
            for (int[] left : new int[][] {{2}, {0, 1}}) {
                int[] others = IntStream.range(0, 10)
                        .filter(row -> IntStream.of(left).noneMatch(one -> one == row))
                        .toArray();
                Tensor some = rows.index_select(
                        0, torch.tensor(IntStream.of(others).asLongStream().toArray()));
                GroupedRidge without = new GroupedRidge(
                        some, IntStream.of(others).map(i -> labels[i]).toArray(), others, CLASSES);
                // The penalty is relative to the spread of the rows, which must be the same number again.
                GroupedRidge.Fit fit = without.with(0.1 * all.scale() / without.scale(), 1, 0);
                for (int row : left) {
                    float[] expected = HostCopy.floats(fit.weight()
                            .mv(rows.to(torch.ScalarType.Double).select(0, row))
                            .add(fit.bias()));
                    assertThat(HostCopy.rows(all.leftOut(0.1))[row]).containsExactly(expected, within(1e-5f));
                }
            }
        }
    }

    @Test
    void photographs_of_one_class_are_refused() {
        try (Scope scope = Scope.open()) {
            World world = new World(9, 0.1);
            assertThatThrownBy(() -> ClassMapFit.fit(
                            "layer", 3, i -> world.photograph(1, 4, 4), new int[] {1, 1}, new int[] {0, 1}, CLASSES))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("at least 2 classes");
        }
    }

    @Test
    void two_photographs_are_enough_for_a_map() {
        try (Scope scope = Scope.open()) {
            World world = new World(10, 0.1);
            ClassMap map = ClassMapFit.fit(
                    "layer", 3, i -> world.photograph(i, 1, 2), new int[] {0, 1}, new int[] {0, 1}, CLASSES);
            Cells cells = map.cells(map.reduce(0, world.photograph(1, 3, 2)));
            assertThat(cells.likeliest()).containsOnly(1);
        }
    }

    @Test
    void arrays_that_do_not_fit_are_refused() {
        float[] basis = new float[8];
        float[] weight = new float[6];
        float[] bias = new float[3];
        refused("names no layer", " ", 3, basis, weight, bias, 1);
        for (int window : new int[] {0, -1, 2, 257, Integer.MAX_VALUE}) {
            refused("cells a side", "layer", window, basis, weight, bias, 1);
        }
        refused("do not fit", "layer", 3, new float[7], weight, bias, 1);
        refused("do not fit", "layer", 3, new float[0], weight, bias, 1);
        refused("do not fit", "layer", 3, basis, new float[5], bias, 1);
        refused("do not fit", "layer", 3, basis, new float[0], bias, 1);
        refused("do not fit", "layer", 3, basis, weight, new float[0], 1);
        refused("NaN", "layer", 3, with(basis, Float.NaN), weight, bias, 1);
        refused("Infinity", "layer", 3, basis, with(weight, Float.POSITIVE_INFINITY), bias, 1);
        refused("NaN", "layer", 3, basis, weight, with(bias, Float.NaN), 1);
        for (float temperature : new float[] {0, -1, Float.NaN, Float.POSITIVE_INFINITY}) {
            refused("temperature", "layer", 3, basis, weight, bias, temperature);
        }
        Novelty novelty = new Novelty(
                new Novelty.Densities(
                        new float[3],
                        1,
                        new float[] {1, 0, 0},
                        new float[] {1},
                        new float[] {0},
                        new float[] {1},
                        new float[] {1, 1}),
                new float[] {1, 2});
        assertThatThrownBy(() -> new Parts("layer", 3, basis, weight, bias, 1, Optional.of(novelty), 1))
                .hasMessageContaining("vectors of 3 dimensions");
        float[] three = new float[9];
        for (int photographs : new int[] {-1, 0, 3}) {
            assertThatThrownBy(() -> new Parts("layer", 3, three, three, bias, 1, Optional.of(novelty), photographs))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("2 calibration scores of " + photographs);
        }
    }

    private static float[] with(float[] values, float last) {
        float[] changed = values.clone();
        changed[changed.length - 1] = last;
        return changed;
    }

    private static void refused(
            String message, String tap, int window, float[] basis, float[] weight, float[] bias, float temperature) {
        assertThatThrownBy(() -> new Parts(tap, window, basis, weight, bias, temperature, Optional.empty(), 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void maps_of_another_layer_are_refused() {
        try (Scope scope = Scope.open()) {
            ClassMap map = new ClassMap(
                    new Parts("layer", 3, new float[8], new float[6], new float[3], 1, Optional.empty(), 0));
            assertThatThrownBy(() -> map.reduce(0, torch.zeros(1, 5, 3, 3)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("[1, 4, rows, width] of layer but got [1, 5, 3, 3]");
            Cells cells = map.cells(map.reduce(0, torch.zeros(1, 4, 3, 3)));
            assertThat(cells.pValues())
                    .as("without novelty, nothing is unknown")
                    .containsOnly(1);
        }
    }
}
