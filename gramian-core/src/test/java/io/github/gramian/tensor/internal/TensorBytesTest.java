package io.github.gramian.tensor.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.tensor.Scope;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TensorBytesTest {

    @TempDir
    Path folder;

    private final Scope scope = Scope.open();

    @AfterEach
    void close() {
        scope.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 7, 16, 4096})
    void the_window_does_not_change_what_is_read(long window) throws IOException {
        byte[] bytes = new byte[50];
        for (int index = 0; index < bytes.length; index++) {
            bytes[index] = (byte) index;
        }
        Path file = Files.write(folder.resolve("bytes"), bytes);
        try (FileChannel channel = FileChannel.open(file)) {
            Tensor read = TensorBytes.read(channel, 10, window, TensorType.U8, 4, 10);
            assertThat(read.sum().item_double()).isEqualTo((10 + 49) * 20.0);
            assertThat(read.select(0, 3).select(0, 9).item_double()).isEqualTo(49);
        }
    }

    @Test
    void a_tensor_beyond_the_end_is_refused_before_it_is_allocated() throws IOException {
        Path file = Files.write(folder.resolve("bytes"), new byte[8]);
        try (FileChannel channel = FileChannel.open(file)) {
            assertThatThrownBy(() -> TensorBytes.read(channel, 4, TensorType.F32, 2))
                    .isInstanceOf(EOFException.class);
            assertThatThrownBy(() -> TensorBytes.read(channel, 0, TensorType.F32, 1L << 60))
                    .isInstanceOf(EOFException.class);
        }
        assertThatThrownBy(() ->
                        TensorBytes.read(Channels.newChannel(new ByteArrayInputStream(new byte[7])), TensorType.F32, 2))
                .isInstanceOf(EOFException.class);
    }

    @Test
    void types_know_their_sizes_and_names() {
        assertThat(TensorType.F16.bytesOf(3, 4)).isEqualTo(24);
        assertThat(TensorType.named("F32")).contains(TensorType.F32);
        assertThat(TensorType.named("f32")).isEmpty();
        assertThat(TensorType.BF16.isFloatingPoint()).isTrue();
        assertThat(TensorType.I64.isFloatingPoint()).isFalse();
        assertThatThrownBy(() -> TensorType.of(ScalarType.ComplexFloat)).hasMessageContaining("convert");
        assertThatThrownBy(() -> TensorType.F64.bytesOf(1L << 40, 1L << 40)).isInstanceOf(ArithmeticException.class);
    }

    @Test
    void a_root_folder_is_not_a_target() {
        assertThatThrownBy(() -> AtomicFile.write(folder.getRoot(), channel -> {}))
                .hasMessageContaining("name a file");
    }
}
