package io.github.gramian.similar.vector.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrincipalFitTest {

    @TempDir
    private Path folder;

    /** Rows whose variance lies on the first axes, 4, 3, 2 and 1, and little elsewhere. */
    private static List<float[]> rows(long seed, int count, int length) {
        Random random = new Random(seed);
        List<float[]> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            float[] row = new float[length];
            for (int d = 0; d < length; d++) {
                row[d] = (float) (5 + random.nextGaussian() * (d < 4 ? 4 - d : 0.01));
            }
            rows.add(row);
        }
        return rows;
    }

    private static List<float[]> copies(List<float[]> rows) {
        return rows.stream().map(float[]::clone).toList();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void components_are_the_directions_of_largest_variance_whitened(long seed) {
        List<float[]> rows = rows(seed, 400, 90);
        Reduction reduction = PrincipalFit.whitened(copies(rows), 4, 2);
        assertThat(reduction.dimensions()).isEqualTo(4);
        // Along each axis, one standard deviation from the mean has length 1 before scaling, so directions are what
        // remains.
        for (int axis = 0; axis < 4; axis++) {
            float[] one = new float[90];
            java.util.Arrays.fill(one, 5);
            one[axis] += 4 - axis;
            float[] vector = reduction.apply(one);
            assertThat(Math.abs(vector[axis])).as("axis %d", axis).isGreaterThan(0.95f);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void the_number_of_threads_changes_no_bit(int threads) {
        List<float[]> rows = rows(7, 500, 130);
        Reduction one = PrincipalFit.whitened(copies(rows), 40, 2);
        Reduction other = PrincipalFit.whitened(copies(rows), 40, threads);
        assertThat(other.components()).containsExactly(one.components());
    }

    @Test
    void iterated_and_complete_eigenvectors_span_the_same_components() {
        // 400 rows are iterated (100 components and spare directions), 164 have all directions computed.
        List<float[]> rows = rows(3, 400, 30);
        Reduction reduction = PrincipalFit.whitened(copies(rows), 30, 1);
        float[] vector = reduction.apply(rows.get(0));
        double length = 0;
        for (float value : vector) {
            length += value * value;
        }
        assertThat(length).isCloseTo(1, within(1e-5));
        assertThat(reduction.dimensions()).isLessThanOrEqualTo(30);
    }

    @Test
    void a_small_sample_supports_few_components() {
        assertThat(PrincipalFit.whitened(rows(1, 24, 50), 256, 1).dimensions()).isEqualTo(6);
        assertThat(PrincipalFit.whitened(rows(1, 1, 50), 256, 1).dimensions()).isEqualTo(1);
    }

    @Test
    void equal_descriptors_have_vectors_of_length_1() {
        float[] same = {1, 2, 3};
        Reduction reduction =
                PrincipalFit.whitened(List.of(same.clone(), same.clone(), same.clone(), same.clone()), 2, 1);
        assertThat(reduction.apply(same)).containsExactly(1);
    }

    @Test
    void descriptors_of_another_length_and_values_that_are_not_finite_are_refused() {
        Reduction reduction = PrincipalFit.whitened(rows(1, 20, 8), 4, 1);
        assertThatThrownBy(() -> reduction.apply(new float[9])).hasMessageContaining("9 dimensions");
        float[] broken = {Float.NaN, 0, 0, 0, 0, 0, 0, 0};
        assertThatThrownBy(() -> reduction.apply(broken)).hasMessageContaining("not finite");
    }

    private Path written() throws IOException {
        Path file = folder.resolve("reduction.safetensors");
        new Reduction(new float[] {1, 2, 3}, new float[] {1, 0, 0, 0, 2, 0}).write(file);
        return file;
    }

    @Test
    void a_reduction_is_read_as_it_was_written() throws IOException {
        Path file = written();
        Reduction.Stored stored = Reduction.read(file);
        Path again = folder.resolve("again.safetensors");
        stored.reduction().write(again);
        assertThat(again).hasSameBinaryContentAs(file);
        assertThat(stored.reduction().components()).containsExactly(1, 0, 0, 0, 2, 0);
        assertThat(stored.checksum()).hasSize(8);
    }

    @Test
    void a_flipped_bit_in_any_byte_is_reported() throws IOException {
        Path file = written();
        byte[] good = Files.readAllBytes(file);
        for (int i = 0; i < good.length; i++) {
            byte[] bad = good.clone();
            bad[i] ^= (byte) (1 << i % 8);
            Files.write(file, bad);
            assertThatThrownBy(() -> Reduction.read(file)).as("byte %d", i).isInstanceOf(RuntimeException.class);
        }
    }
}
