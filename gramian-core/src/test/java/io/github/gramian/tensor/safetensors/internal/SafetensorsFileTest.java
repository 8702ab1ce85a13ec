package io.github.gramian.tensor.safetensors.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.io.internal.Sha256;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.TensorType;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SafetensorsFileTest {

    @TempDir
    Path folder;

    private final Scope scope = Scope.open();

    @AfterEach
    void close() {
        scope.close();
    }

    @ParameterizedTest
    @EnumSource(TensorType.class)
    void every_type_comes_back_as_it_went(TensorType type) throws IOException {
        Tensor values = new Seed(3)
                .uniform(Placement.cpu(Precision.DOUBLE), 3, 5)
                .mul(new org.bytedeco.pytorch.Scalar(9.0))
                .to(type.scalarType());
        Path file = folder.resolve("a.safetensors");
        SafetensorsWriter.write(file, Map.of("x", values), Map.of());
        try (SafetensorsFile opened = SafetensorsFile.open(file)) {
            Tensor back = opened.tensor("x");
            assertThat(back.equal(values)).isTrue();
            assertThat(TensorType.of(back.scalar_type())).isEqualTo(type);
            assertThat(opened.entries().iterator().next().elements()).isEqualTo(15);
        }
    }

    @Test
    void a_tensor_outlives_the_file_it_came_from() throws IOException {
        Path file = folder.resolve("a.safetensors");
        SafetensorsWriter.write(file, Map.of("x", torch.ones(3)), Map.of());
        Tensor back;
        try (SafetensorsFile opened = SafetensorsFile.open(file)) {
            back = opened.tensor("x");
        }
        Files.delete(file);
        assertThat(back.sum().item_double()).isEqualTo(3);
    }

    /** A mapping counts as memory of the process until the garbage collector finds it. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void nothing_remains_mapped_of_a_file_that_was_read() throws IOException {
        Path file = folder.resolve("large.safetensors");
        SafetensorsWriter.write(file, Map.of("x", torch.ones(1 << 20)), Map.of());
        try (SafetensorsFile opened = SafetensorsFile.open(file)) {
            assertThat(opened.tensor("x").sum().item_double()).isEqualTo(1 << 20);
            assertThat(opened.bytes("x").remaining()).isEqualTo(4 << 20);
            Sha256 sum = new Sha256();
            opened.copyTo(sum, opened.entry("x"));
            assertThat(sum.hex()).isEqualTo(Sha256.of(opened.bytes("x").array()));
        }
        long mapped = Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(line -> line.endsWith("large.safetensors"))
                .map(line -> line.split("[- ]", 3))
                .mapToLong(ends -> Long.parseLong(ends[1], 16) - Long.parseLong(ends[0], 16))
                .sum();
        assertThat(mapped).isLessThan(1 << 16); // the header
    }

    @Test
    void scalars_empty_tensors_and_other_layouts_are_preserved() throws IOException {
        Tensor image = new Seed(1).normal(Placement.cpu(Precision.FLOAT), 2, 3, 4, 5);
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        tensors.put("scalar", torch.ones(new long[0]));
        tensors.put("empty", torch.ones(0, 7));
        tensors.put("last", image.contiguous(MemoryFormat.ChannelsLast));
        Path file = folder.resolve("a.safetensors");
        SafetensorsWriter.write(file, tensors, Map.of("β", "né \"quoted\"\n"));
        try (SafetensorsFile opened = SafetensorsFile.open(file)) {
            assertThat(opened.tensor("scalar").item_double()).isEqualTo(1);
            assertThat(opened.tensor("empty").size(1)).isEqualTo(7);
            assertThat(opened.tensor("last").equal(image)).isTrue();
            assertThat(opened.metadata()).containsExactly(Map.entry("β", "né \"quoted\"\n"));
            assertThat(opened.contains("last")).isTrue();
            assertThatThrownBy(() -> opened.tensor("lost")).hasMessageContaining("no tensor 'lost'");
        }
    }

    @Test
    void equal_content_gives_equal_bytes_whatever_the_order() throws IOException {
        Map<String, Tensor> forwards = new LinkedHashMap<>();
        forwards.put("b", torch.ones(2));
        forwards.put("a", torch.ones(3).to(torch.ScalarType.Half));
        forwards.put("c", torch.ones(3));
        Map<String, Tensor> backwards = new LinkedHashMap<>();
        backwards.put("c", torch.ones(3));
        backwards.put("a", torch.ones(3).to(torch.ScalarType.Half));
        backwards.put("b", torch.ones(2));
        Path first = folder.resolve("1");
        Path second = folder.resolve("2");
        Map<String, String> notes = new LinkedHashMap<>();
        notes.put("k", "v");
        notes.put("j", "w");
        Map<String, String> turned = new LinkedHashMap<>();
        turned.put("j", "w");
        turned.put("k", "v");
        SafetensorsWriter.write(first, forwards, notes);
        SafetensorsWriter.write(second, backwards, turned);
        assertThat(Files.readAllBytes(first)).isEqualTo(Files.readAllBytes(second));
        try (SafetensorsFile opened = SafetensorsFile.open(first)) {
            assertThat(opened.entries()).extracting(TensorEntry::name).containsExactly("b", "c", "a");
        }
        assertThat(ByteBuffer.wrap(Files.readAllBytes(first))
                                .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                                .getLong()
                        % 8)
                .isZero();
    }

    @Test
    void a_tensor_beyond_two_gigabytes_is_found() throws IOException {
        long filler = 2_300_000_000L;
        String header = "{\"f\":{\"dtype\":\"U8\",\"shape\":[" + filler + "],\"data_offsets\":[0," + filler
                + "]},\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[" + filler + "," + (filler + 8) + "]}}";
        Path file = folder.resolve("large.safetensors");
        try (FileChannel sparse = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.SPARSE)) {
            sparse.write(HostileSafetensorsTest.file(header, 0));
            sparse.position(8 + header.length() + filler);
            sparse.write(ByteBuffer.allocate(8)
                    .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                    .putFloat(1.5f)
                    .putFloat(2.5f)
                    .flip());
        }
        try (SafetensorsFile opened = SafetensorsFile.open(file)) {
            assertThat(opened.tensor("x").sum().item_double()).isEqualTo(4);
        }
    }

    @Test
    void a_failed_write_leaves_the_old_file_and_nothing_else() throws IOException {
        Path file = folder.resolve("a.safetensors");
        SafetensorsWriter.write(file, Map.of("x", torch.ones(3)), Map.of());
        byte[] before = Files.readAllBytes(file);
        Map<String, SafetensorsWriter.Planned> failing =
                Map.of("x", new SafetensorsWriter.Planned(TensorType.F32, List.of(3L), () -> {
                    throw new IOException("the source went away");
                }));
        assertThatThrownBy(() -> SafetensorsWriter.writePlanned(file, failing, Map.of()))
                .hasMessageEndingWith("a.safetensors: the source went away");
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void a_tensor_that_is_not_what_was_planned_stops_the_writing() {
        Map<String, SafetensorsWriter.Planned> wrong =
                Map.of("x", new SafetensorsWriter.Planned(TensorType.F32, List.of(4L), () -> torch.ones(3)));
        assertThatThrownBy(() -> SafetensorsWriter.writePlanned(folder.resolve("a"), wrong, Map.of()))
                .hasMessageContaining("planned as F32[4]");
        assertThatThrownBy(() ->
                        SafetensorsWriter.write(folder.resolve("a"), Map.of("__metadata__", torch.ones(1)), Map.of()))
                .hasMessageContaining("__metadata__");
    }

    private Path written(boolean sealed) throws IOException {
        Path file = folder.resolve("a.safetensors");
        try (Scope scope = Scope.open()) {
            Map<String, org.bytedeco.pytorch.Tensor> tensors =
                    Map.of("x", new Seed(1).normal(Placement.cpu(Precision.FLOAT), 4, 3));
            if (sealed) {
                SafetensorsWriter.writeSealed(file, tensors, Map.of("note", "\"crc32c\":\"ffffffff\""));
            } else {
                SafetensorsWriter.write(file, tensors, Map.of());
            }
        }
        return file;
    }

    @Test
    void a_sealed_file_is_intact_until_any_bit_of_it_flips() throws IOException {
        Path file = written(true);
        byte[] whole = Files.readAllBytes(file);
        try (SafetensorsFile opened = SafetensorsFile.open(file)) {
            assertThat(opened.isIntact()).isTrue();
            assertThat(opened.seal()).matches("[0-9a-f]{8}");
            opened.requireIntact();
        }
        for (int at = whole.length - 48; at < whole.length; at++) {
            byte[] flipped = whole.clone();
            flipped[at] ^= 4;
            Files.write(file, flipped);
            try (SafetensorsFile opened = SafetensorsFile.open(file)) {
                assertThat(opened.isIntact()).as("byte %d", at).isFalse();
                assertThatThrownBy(opened::requireIntact).isInstanceOf(SafetensorsException.class);
            }
        }
    }

    @Test
    void a_file_that_was_never_sealed_does_not_count_as_intact() throws IOException {
        try (SafetensorsFile opened = SafetensorsFile.open(written(false))) {
            assertThat(opened.seal()).isEmpty();
            assertThat(opened.isIntact()).isFalse();
        }
    }
}
