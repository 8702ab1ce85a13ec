package io.github.gramian.run.internal;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * The two messages of TensorFlow's {@code Event} that we need, in the wire format of protocol buffers, where a field is
 * a key {@code number << 3 | type} and its content:
 *
 * <pre>
 * Event   { 1: double wall_time   2: int64 step   3: string file_version   5: Summary summary }
 * Summary { 1: Value value }      Value { 1: string tag   2: float simple_value }
 * </pre>
 */
final class TensorBoardEvent {

    private static final int VARINT = 0;
    private static final int EIGHT_BYTES = 1;
    private static final int WITH_LENGTH = 2;
    private static final int FOUR_BYTES = 5;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private TensorBoardEvent() {}

    /** The first event of every file. */
    static byte[] version(Instant when) {
        TensorBoardEvent event = new TensorBoardEvent();
        event.real(1, seconds(when));
        event.content(3, "brain.Event:2".getBytes(StandardCharsets.UTF_8));
        return event.bytes.toByteArray();
    }

    /** One value of one curve. */
    static byte[] scalar(String tag, long step, float value, Instant when) {
        TensorBoardEvent point = new TensorBoardEvent();
        point.content(1, tag.getBytes(StandardCharsets.UTF_8));
        point.key(2, FOUR_BYTES);
        point.bytes.writeBytes(ByteBuffer.allocate(Float.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(value)
                .array());
        TensorBoardEvent summary = new TensorBoardEvent();
        summary.content(1, point.bytes.toByteArray());
        TensorBoardEvent event = new TensorBoardEvent();
        event.real(1, seconds(when));
        event.key(2, VARINT);
        event.varint(step);
        event.content(5, summary.bytes.toByteArray());
        return event.bytes.toByteArray();
    }

    private static double seconds(Instant when) {
        return when.getEpochSecond() + when.getNano() / 1e9;
    }

    private void real(int field, double value) {
        key(field, EIGHT_BYTES);
        bytes.writeBytes(ByteBuffer.allocate(Double.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putDouble(value)
                .array());
    }

    private void content(int field, byte[] content) {
        key(field, WITH_LENGTH);
        varint(content.length);
        bytes.writeBytes(content);
    }

    private void key(int field, int type) {
        varint((long) field << 3 | type);
    }

    /** Seven bits a byte, lowest first; the top bit says that more follow. Negative numbers take ten bytes. */
    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes.write((int) ((rest & 0x7F) | 0x80));
            rest >>>= 7;
        }
        bytes.write((int) rest);
    }
}
