package io.github.gramian.backbone.weights.internal;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.InvalidInputException;
import io.github.gramian.backbone.weights.internal.SourceWeights.SourceTensor;
import io.github.gramian.check.FullForm;
import io.github.gramian.check.Needs;
import io.github.gramian.check.PythonProgram;
import io.github.gramian.check.Tool;
import io.github.gramian.tensor.Scope;
import io.jhdf.HdfFile;
import io.jhdf.WritableHdfFile;
import io.jhdf.api.WritableGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KerasSourceTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "kernel:0, conv1/kernel",
        "conv1_W:0, conv1/kernel",
        "conv1_W_1:0, conv1/kernel",
        "conv1_b:0, conv1/bias",
        "bias:0, conv1/bias",
        "bn_conv1_running_std:0, conv1/moving_variance",
        "moving_variance:0, conv1/moving_variance",
        "bn_running_mean_1:0, conv1/moving_mean",
        "gamma:0, conv1/gamma",
        "something, conv1/something",
    })
    void the_parts_of_a_layer_are_known_by_all_their_names(String dataset, String name) throws IOException {
        Path file = folder.resolve("a.h5");
        try (WritableHdfFile h5 = HdfFile.write(file)) {
            h5.putGroup("conv1").putDataset(dataset, new float[][] {{1, 2}, {3, 4}});
        }
        try (Scope scope = Scope.open();
                SourceWeights source = SourceFormat.open(file)) {
            assertThat(source.format()).isEqualTo(SourceFormat.KERAS_H5);
            assertThat(source.tensors().keySet()).containsExactly(name);
            SourceTensor tensor = requireNonNull(source.tensors().get(name));
            assertThat(tensor.shape()).containsExactly(2L, 2L);
            assertThat(tensor.load().select(0, 1).sum().item_double()).isEqualTo(7);
        }
    }

    @Test
    void a_full_model_is_read_without_its_optimizer() throws IOException {
        Path file = folder.resolve("a.h5");
        try (WritableHdfFile h5 = HdfFile.write(file)) {
            WritableGroup model = h5.putGroup("model_weights");
            model.putGroup("conv1").putGroup("conv1").putDataset("kernel:0", new float[] {1, 2});
            model.putGroup("top_level_model_weights").putDataset("x", new float[] {1, 2});
            h5.putGroup("optimizer_weights").putDataset("iter:0", new long[] {1});
        }
        try (SourceWeights source = SourceFormat.open(file)) {
            assertThat(source.tensors().keySet()).containsExactly("conv1/kernel");
            assertThat(source.notes().skipped()).hasSize(1);
        }
    }

    @Test
    void what_keras_never_writes_is_refused() throws IOException {
        Path file = folder.resolve("a.h5");
        try (WritableHdfFile h5 = HdfFile.write(file)) {
            h5.putGroup("conv1").putDataset("kernel:0", new double[] {1, 2});
        }
        assertThatThrownBy(() -> SourceFormat.open(file)).hasMessageContaining("not float32");
        try (WritableHdfFile h5 = HdfFile.write(file)) {
            WritableGroup layer = h5.putGroup("conv1");
            layer.putDataset("kernel:0", new float[] {1, 2});
            layer.putDataset("conv1_W:0", new float[] {1, 2});
        }
        assertThatThrownBy(() -> SourceFormat.open(file))
                .hasMessageStartingWith(file + ": has two datasets for conv1/kernel");
        try (WritableHdfFile h5 = HdfFile.write(file)) {
            WritableGroup group = h5.putGroup("conv1");
            for (int depth = 0; depth < 9; depth++) {
                group = group.putGroup("g");
            }
        }
        assertThatThrownBy(() -> SourceFormat.open(file)).hasMessageContaining("more groups");
    }

    @Test
    @Needs(Tool.H5PY)
    void links_out_of_the_file_or_in_cycles_are_not_followed() throws Exception {
        Path file = folder.resolve("a.h5");
        String script = "import h5py, sys; f = h5py.File(sys.argv[1], 'w'); g = f.create_group('conv1');"
                + "g.create_dataset('kernel:0', data=[1.0, 2.0], dtype='f4'); g['circle'] = h5py.SoftLink('/conv1');"
                + "f['outside'] = h5py.ExternalLink('/etc/passwd', '/'); f.close()";
        String python = PythonProgram.find(List.of(Tool.H5PY)).orElseThrow();
        Process writer = new ProcessBuilder(python, "-c", script, file.toString())
                .inheritIO()
                .start();
        assertThat(writer.waitFor()).isZero();
        try (SourceWeights source = SourceFormat.open(file)) {
            assertThat(source.tensors().keySet()).containsExactly("conv1/kernel");
            assertThat(source.notes().skipped()).containsExactlyInAnyOrder("/conv1/circle", "/outside");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void a_mutated_file_is_read_or_refused_but_never_anything_else(long seed) throws IOException {
        Path file = folder.resolve("a.h5");
        try (WritableHdfFile h5 = HdfFile.write(file)) {
            h5.putGroup("conv1").putDataset("kernel:0", new float[3][4]);
            h5.putGroup("conv2").putDataset("kernel:0", new float[5]);
        }
        byte[] original = Files.readAllBytes(file);
        SplittableRandom random = new SplittableRandom(seed);
        int refused = 0;
        int rounds = FullForm.rounds(300, 60);
        for (int round = 0; round < rounds; round++) {
            byte[] mutated = Arrays.copyOf(
                    original, random.nextInt(6) == 0 ? 9 + random.nextInt(original.length - 9) : original.length);
            for (int change = random.nextInt(4); change >= 0; change--) {
                mutated[8 + random.nextInt(mutated.length - 8)] = (byte) random.nextInt(256);
            }
            Files.write(file, mutated);
            try (Scope scope = Scope.open();
                    SourceWeights source = SourceFormat.open(file)) {
                for (SourceTensor tensor : source.tensors().values()) {
                    assertThat(tensor.load().nbytes()).isLessThanOrEqualTo(mutated.length);
                }
            } catch (IOException | InvalidInputException expected) {
                refused++;
            }
        }
        assertThat(refused).isBetween(rounds / 15, rounds - 1);
    }
}
