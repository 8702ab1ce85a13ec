package io.github.gramian.run.internal;

import io.github.gramian.io.internal.ProtobufMessage;
import java.time.Instant;

/**
 * The two messages of TensorFlow's {@code Event} that we need:
 *
 * <pre>
 * Event   { 1: double wall_time   2: int64 step   3: string file_version   5: Summary summary }
 * Summary { 1: Value value }      Value { 1: string tag   2: float simple_value }
 * </pre>
 */
final class TensorBoardEvent {

    private TensorBoardEvent() {}

    /** The first event of every file. */
    static byte[] version(Instant when) {
        return new ProtobufMessage()
                .real(1, seconds(when))
                .string(3, "brain.Event:2")
                .toByteArray();
    }

    /** One value of one curve. */
    static byte[] scalar(String tag, long step, float value, Instant when) {
        ProtobufMessage point = new ProtobufMessage().string(1, tag).real(2, value);
        return new ProtobufMessage()
                .real(1, seconds(when))
                .number(2, step)
                .message(5, new ProtobufMessage().message(1, point))
                .toByteArray();
    }

    private static double seconds(Instant when) {
        return when.getEpochSecond() + when.getNano() / 1e9;
    }
}
