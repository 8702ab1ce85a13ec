package io.github.gramian.run.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TensorBoardFileTest {

    private static final Instant START = Instant.parse("2026-11-15T10:00:00.250Z");

    @TempDir
    Path folder;

    @Test
    void a_file_starts_with_the_version_record_that_tensorflow_writes() throws IOException {
        Path path;
        try (TensorBoardFile file = TensorBoardFile.open(folder, START)) {
            path = file.path();
        }

        byte[] bytes = Files.readAllBytes(path);

        // The first twelve bytes of every event file that TensorFlow itself writes: length 24 and its checksum.
        assertThat(HexFormat.of().formatHex(bytes, 0, 12)).isEqualTo("1800000000000000a37f4b22");
        assertThat(bytes).hasSize(12 + 24 + 4);
        assertThat(path.getFileName().toString()).contains("tfevents");
        assertThat(events(path)).containsExactly("wall 1794736800.25 version brain.Event:2");
    }

    @Test
    void scalars_come_back_with_tag_step_value_and_time() throws IOException {
        Path path;
        try (TensorBoardFile file = TensorBoardFile.open(folder, START)) {
            path = file.path();
            file.scalar("loss/train", 0, 0.5, START);
            file.scalar("genauigkeit/prüfung", 1_234_567_890_123L, -1e-3, START.plusSeconds(2));
            file.scalar("x", -1, Double.NaN, START);
            file.scalar("a".repeat(300), 127, Double.POSITIVE_INFINITY, START);
        }

        assertThat(events(path))
                .containsExactly(
                        "wall 1794736800.25 version brain.Event:2",
                        "wall 1794736800.25 step 0 loss/train = 0.5",
                        "wall 1794736802.25 step 1234567890123 genauigkeit/prüfung = -0.001",
                        "wall 1794736800.25 step -1 x = NaN",
                        "wall 1794736800.25 step 127 " + "a".repeat(300) + " = Infinity");
    }

    @Test
    void the_checksum_agrees_with_the_published_vector() {
        // CRC-32C of "123456789" is e3069283; turned right by 15 bits and shifted by the constant:
        int expected = (0xe3069283 >>> 15 | 0xe3069283 << 17) + 0xa282ead8;

        assertThat(TensorBoardFile.maskedChecksum("123456789".getBytes(StandardCharsets.US_ASCII)))
                .isEqualTo(expected);
    }

    @Test
    void a_second_start_in_the_same_second_writes_a_second_file() throws IOException {
        try (TensorBoardFile first = TensorBoardFile.open(folder, START);
                TensorBoardFile second = TensorBoardFile.open(folder, START)) {
            second.scalar("loss", 1, 2, START);
            second.flush();

            assertThat(second.path()).isNotEqualTo(first.path());
            assertThat(events(first.path())).hasSize(1);
            assertThat(events(second.path())).hasSize(2);
        }
    }

    @Test
    void a_curve_without_a_name_is_refused() throws IOException {
        try (TensorBoardFile file = TensorBoardFile.open(folder, START)) {
            assertThatThrownBy(() -> file.scalar(" ", 1, 2, START))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("name");
        }
    }

    /** A reader that shares nothing with the writer: checks both checksums bit by bit and prints each event. */
    private static List<String> events(Path path) throws IOException {
        ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
        List<String> events = new ArrayList<>();
        while (file.hasRemaining()) {
            byte[] length = take(file, 8);
            assertThat(file.getInt()).isEqualTo(masked(length));
            byte[] data = take(file, (int)
                    ByteBuffer.wrap(length).order(ByteOrder.LITTLE_ENDIAN).getLong());
            assertThat(file.getInt()).isEqualTo(masked(data));
            events.add(sentence(data));
        }
        return events;
    }

    private static String sentence(byte[] data) {
        Map<Integer, Object> event = fields(data);
        String text = "wall "
                + BigDecimal.valueOf(Double.longBitsToDouble((Long) field(event, 1)))
                        .toPlainString();
        if (event.containsKey(3)) {
            return text + " version " + new String((byte[]) field(event, 3), StandardCharsets.UTF_8);
        }
        Map<Integer, Object> value = fields((byte[]) field(fields((byte[]) field(event, 5)), 1));
        return text + " step " + event.get(2) + " " + new String((byte[]) field(value, 1), StandardCharsets.UTF_8)
                + " = " + Float.intBitsToFloat((Integer) field(value, 2));
    }

    private static Object field(Map<Integer, Object> message, int number) {
        return Objects.requireNonNull(message.get(number), () -> "field " + number + " is missing");
    }

    private static Map<Integer, Object> fields(byte[] message) {
        ByteBuffer in = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
        Map<Integer, Object> fields = new TreeMap<>();
        while (in.hasRemaining()) {
            int key = (int) varint(in);
            Object content = switch (key & 7) {
                case 0 -> varint(in);
                case 1 -> in.getLong();
                case 2 -> take(in, (int) varint(in));
                case 5 -> in.getInt();
                default -> throw new AssertionError("wire type of key " + key);
            };
            fields.put(key >> 3, content);
        }
        return fields;
    }

    private static long varint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = in.get();
            value |= (long) (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }

    private static byte[] take(ByteBuffer in, int count) {
        byte[] part = new byte[count];
        in.get(part);
        return part;
    }

    private static int masked(byte[] bytes) {
        int crc = -1;
        for (byte b : bytes) {
            crc ^= b & 0xFF;
            for (int bit = 0; bit < 8; bit++) {
                crc = crc >>> 1 ^ (crc & 1) * 0x82F63B78;
            }
        }
        crc = ~crc;
        return (crc >>> 15 | crc << 17) + 0xa282ead8;
    }
}
