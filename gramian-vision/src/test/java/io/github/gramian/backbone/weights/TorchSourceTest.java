package io.github.gramian.backbone.weights;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.InvalidInputException;
import io.github.gramian.backbone.weights.internal.SourceFormat;
import io.github.gramian.backbone.weights.internal.SourceWeights;
import io.github.gramian.backbone.weights.internal.SourceWeights.SourceTensor;
import io.github.gramian.backbone.weights.internal.TorchFiles;
import io.github.gramian.backbone.weights.internal.TorchFiles.Program;
import io.github.gramian.backbone.weights.internal.TorchSource;
import io.github.gramian.tensor.Scope;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.zip.ZipEntry;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TorchSourceTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void views_on_one_storage_become_dense_tensors(boolean legacy) throws IOException {
        Path file = legacy
                ? TorchFiles.legacy(
                        folder.resolve("a.pth"), TorchFiles.stateDict(true), List.of("0"), 8, TorchFiles.floats(8))
                : TorchFiles.zip(folder.resolve("a.pth"), TorchFiles.stateDict(false), 8);
        try (Scope scope = Scope.open();
                SourceWeights source = SourceFormat.open(file)) {
            assertThat(source.format()).isEqualTo(legacy ? SourceFormat.TORCH_LEGACY : SourceFormat.TORCH_ZIP);
            Tensor w = requireNonNull(source.tensors().get("w")).load();
            Tensor t = requireNonNull(source.tensors().get("t")).load();
            assertThat(w.sum().item_double()).isEqualTo(1 + 2 + 3 + 4 + 5 + 6);
            assertThat(w.select(0, 1).select(0, 0).item_double()).isEqualTo(4);
            assertThat(t.equal(w.t())).isTrue();
            assertThat(t.is_contiguous()).isTrue();
        }
    }

    @Test
    void a_checkpoint_of_several_devices_is_unwrapped() throws IOException {
        byte[] checkpoint = new Program()
                .op('}', '(')
                .string("epoch")
                .integer(3)
                .string("state_dict")
                .op('}')
                .string("module.w")
                .tensor("0", 8, 0, List.of(), List.of(), false)
                .op('s')
                .string("optimizer")
                .op('}', 'u')
                .stop();
        try (SourceWeights source = SourceFormat.open(TorchFiles.zip(folder.resolve("a"), checkpoint, 8))) {
            assertThat(source.tensors().keySet()).containsExactly("w");
            assertThat(source.notes().skipped()).containsExactlyInAnyOrder("epoch", "optimizer");
        }
    }

    @Test
    void a_pickle_without_weights_is_refused_with_advice() throws IOException {
        Path none = TorchFiles.zip(folder.resolve("a"), new Program().op('N').stop(), 8);
        assertThatThrownBy(() -> SourceFormat.open(none)).hasMessageContaining("state_dict()");
        Path integers = TorchFiles.zip(
                folder.resolve("b"),
                new Program().op('}').string("a").op('K', 1, 's').stop(),
                8);
        assertThatThrownBy(() -> SourceFormat.open(integers)).hasMessageContaining("no named tensors");
        Path code = TorchFiles.zip(
                folder.resolve("c"), new Program().global("os", "system").stop(), 8);
        assertThatThrownBy(() -> SourceFormat.open(code))
                .isInstanceOf(WeightsException.class)
                .hasMessageContaining("os.system");
    }

    @Test
    void an_inconsistent_zip_is_refused() throws IOException {
        byte[] dict = TorchFiles.stateDict(false);
        Path small = TorchFiles.zip(folder.resolve("small"), dict, 7);
        assertThatThrownBy(() -> SourceFormat.open(small)).hasMessageContaining("claims 8 values");
        Path packed = TorchFiles.zip(
                folder.resolve("packed"), ZipEntry.DEFLATED, Map.of("n/data.pkl", dict, "n/data/0", new byte[1 << 20]));
        assertThatThrownBy(() -> SourceFormat.open(packed)).hasMessageContaining("compressed");
        Path lacking = TorchFiles.zip(folder.resolve("lacking"), ZipEntry.STORED, Map.of("n/data.pkl", dict));
        assertThatThrownBy(() -> SourceFormat.open(lacking)).hasMessageContaining("lacks the entry");
        Path other = TorchFiles.zip(folder.resolve("other"), ZipEntry.STORED, Map.of("n/a", dict));
        assertThatThrownBy(() -> SourceFormat.open(other)).hasMessageContaining("not a PyTorch file");
        Path script = TorchFiles.zip(
                folder.resolve("script"), ZipEntry.STORED, Map.of("n/data.pkl", dict, "n/code/x.py", dict));
        assertThatThrownBy(() -> SourceFormat.open(script)).hasMessageContaining("TorchScript archive");
        Path big = TorchFiles.zip(
                folder.resolve("big"),
                ZipEntry.STORED,
                Map.of("n/data.pkl", dict, "n/byteorder", "big".getBytes(StandardCharsets.US_ASCII)));
        assertThatThrownBy(() -> SourceFormat.open(big)).hasMessageContaining("big-endian");
        Path long_ = TorchFiles.zip(
                folder.resolve("long"), ZipEntry.STORED, Map.of("n/data.pkl", new byte[TorchSource.MAX_PICKLE + 1]));
        assertThatThrownBy(() -> SourceFormat.open(long_)).hasMessageContaining("larger than");
    }

    @Test
    void an_entry_larger_than_the_file_is_refused() throws IOException {
        Path file = TorchFiles.zip(folder.resolve("a"), TorchFiles.stateDict(false), 8);
        byte[] bytes = Files.readAllBytes(file);
        // Both sizes of every entry in the central directory: 4 GB minus a little.
        for (int index = 0; index < bytes.length - 46; index++) {
            if (bytes[index] == 'P' && bytes[index + 1] == 'K' && bytes[index + 2] == 1 && bytes[index + 3] == 2) {
                ByteBuffer.wrap(bytes)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(index + 20, -9)
                        .putInt(index + 24, -9);
            }
        }
        Files.write(file, bytes);
        assertThatThrownBy(() -> SourceFormat.open(file)).isInstanceOf(WeightsException.class);
    }

    /** The directory of the zip is whole, but not the place that it names. */
    @ParameterizedTest
    @ValueSource(ints = {0, 28})
    void a_storage_whose_numbers_are_not_there_is_refused(int damaged) throws IOException {
        Path file = TorchFiles.zip(folder.resolve("a"), TorchFiles.stateDict(false), 8);
        byte[] bytes = Files.readAllBytes(file);
        int name = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("net/data/0");
        // The entry's own header: its first letters, or the length of the part between the header and the values.
        Arrays.fill(bytes, name - 30 + damaged, name - 28 + damaged, (byte) 0x7f);
        Files.write(file, bytes);
        try (SourceWeights source = SourceFormat.open(file)) {
            assertThatThrownBy(() -> requireNonNull(source.tensors().get("w")).load())
                    .isInstanceOf(WeightsException.class)
                    .hasMessageContaining("storage 0 cannot be read");
        }
    }

    @Test
    void an_inconsistent_legacy_file_is_refused() throws IOException {
        byte[] dict = TorchFiles.stateDict(true);
        byte[] values = TorchFiles.floats(8);
        Path file = folder.resolve("a");
        TorchFiles.legacy(file, dict, List.of("0"), 9, values);
        assertThatThrownBy(() -> SourceFormat.open(file)).hasMessageContaining("declares 9");
        TorchFiles.legacy(file, dict, List.of("0"), 8, Arrays.copyOf(values, 31));
        assertThatThrownBy(() -> SourceFormat.open(file)).hasMessageContaining("space for 7");
        TorchFiles.legacy(file, dict, List.of("1"), 8, values);
        assertThatThrownBy(() -> SourceFormat.open(file)).hasMessageContaining("does not define");
        TorchFiles.legacy(file, dict, List.of(), 8, values);
        assertThatThrownBy(() -> SourceFormat.open(file)).hasMessageContaining("lacks the values");
        Files.write(file, new Program().op('N').stop());
        assertThatThrownBy(() -> SourceFormat.open(file)).hasMessageContaining("not one that torch.save wrote");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_file_cut_off_anywhere_is_refused(boolean legacy) throws IOException {
        Path file = folder.resolve("a");
        if (legacy) {
            TorchFiles.legacy(file, TorchFiles.stateDict(true), List.of("0"), 8, TorchFiles.floats(8));
        } else {
            TorchFiles.zip(file, TorchFiles.stateDict(false), 8);
        }
        byte[] whole = Files.readAllBytes(file);
        for (int length = 0; length < whole.length; length += 7) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> SourceFormat.open(file).close()).isInstanceOf(WeightsException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void a_mutated_file_is_read_or_refused_but_never_anything_else(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        Path file = folder.resolve("a");
        TorchFiles.zip(file, TorchFiles.stateDict(false), 8);
        byte[] zip = Files.readAllBytes(file);
        TorchFiles.legacy(file, TorchFiles.stateDict(true), List.of("0"), 8, TorchFiles.floats(8));
        byte[] legacy = Files.readAllBytes(file);
        int refused = 0;
        for (int round = 0; round < 400; round++) {
            byte[] mutated = (round % 2 == 0 ? zip : legacy).clone();
            for (int change = random.nextInt(3); change >= 0; change--) {
                mutated[random.nextInt(mutated.length)] = (byte) random.nextInt(256);
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
        assertThat(refused).isBetween(50, 399);
    }

    @Test
    void other_files_are_refused_as_not_a_weights_file() throws IOException {
        Path text = Files.writeString(folder.resolve("text"), "hello, world");
        assertThatThrownBy(() -> SourceFormat.open(text)).hasMessageContaining("no known format");
        assertThatThrownBy(() -> SourceFormat.open(folder.resolve("absent"))).isInstanceOf(NoSuchFileException.class);
    }
}
