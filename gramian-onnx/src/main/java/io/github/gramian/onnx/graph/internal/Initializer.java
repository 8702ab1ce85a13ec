package io.github.gramian.onnx.graph.internal;

import io.github.gramian.io.internal.ProtobufMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.util.List;

/**
 * A constant tensor of an ONNX graph: weights, indices, sizes.
 *
 * @param shape its dimensions; empty for a single value
 * @param content writes the elements, little-endian, the last dimension fastest; asked only while a file is written
 */
public record Initializer(Value value, ElementType type, List<Long> shape, ProtobufMessage.Content content) {

    public Initializer {
        shape = List.copyOf(shape);
    }

    /** Bytes of its elements. */
    public long bytes() {
        return shape.stream().reduce((long) type.bytes(), Math::multiplyExact);
    }

    /** Of floats at hand. */
    public static Initializer of(String name, List<Long> shape, float... values) {
        ByteBuffer bytes = little(Math.multiplyExact(values.length, Float.BYTES));
        bytes.asFloatBuffer().put(values);
        return of(name, ElementType.FLOAT, shape, bytes);
    }

    /** Of indices at hand. */
    public static Initializer of(String name, List<Long> shape, int... values) {
        ByteBuffer bytes = little(Math.multiplyExact(values.length, Integer.BYTES));
        bytes.asIntBuffer().put(values);
        return of(name, ElementType.INT32, shape, bytes);
    }

    /** Of sizes at hand. */
    public static Initializer of(String name, List<Long> shape, long... values) {
        ByteBuffer bytes = little(Math.multiplyExact(values.length, Long.BYTES));
        bytes.asLongBuffer().put(values);
        return of(name, ElementType.INT64, shape, bytes);
    }

    public static Initializer of(String name, ElementType type, List<Long> shape, ByteBuffer bytes) {
        Initializer made = new Initializer(new Value(name), type, shape, channel -> {
            ByteBuffer rest = bytes.duplicate();
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
        });
        if (made.bytes() != bytes.remaining()) {
            throw new IllegalArgumentException(
                    name + " of shape " + shape + " needs " + made.bytes() + " bytes, not " + bytes.remaining());
        }
        return made;
    }

    /** Its elements as floats, for constants that are made of it. */
    public float[] floats() throws IOException {
        if (type != ElementType.FLOAT) {
            throw new IllegalStateException(value.name() + " has elements of type " + type);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(Math.toIntExact(bytes()));
        content.writeTo(Channels.newChannel(bytes));
        float[] values = new float[bytes.size() / Float.BYTES];
        ByteBuffer.wrap(bytes.toByteArray())
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer()
                .get(values);
        return values;
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
