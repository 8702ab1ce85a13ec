package io.github.gramian.onnx.graph.internal;

import io.github.gramian.io.internal.ProtobufMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.util.List;

/**
 * An ONNX graph: a function of its inputs, as nodes in an order in which each finds its inputs computed.
 *
 * @param name for people
 */
public record OnnxGraph(
        String name, List<Node> nodes, List<Initializer> initializers, List<Port> inputs, List<Port> outputs) {

    /** The version of ONNX's operators that nodes mean. */
    public static final int OPSET = 17;

    public OnnxGraph {
        nodes = List.copyOf(nodes);
        initializers = List.copyOf(initializers);
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }

    /**
     * One operation of an ONNX graph, with one output.
     *
     * @param operator its name in ONNX, such as {@code MatMul}
     * @param inputs in the order of the operator's schema
     * @param output of this node alone; also the node's name
     */
    public record Node(String operator, List<Value> inputs, Value output, List<Attribute> attributes) {

        public Node {
            inputs = List.copyOf(inputs);
            attributes = List.copyOf(attributes);
        }
    }

    /**
     * An input or output of an ONNX graph: its name, type and shape.
     *
     * @param name by which it is fed or asked for
     * @param shape its dimensions, slowest first
     */
    public record Port(String name, ElementType type, List<Dimension> shape) {

        public Port {
            shape = List.copyOf(shape);
        }
    }

    /** A tensor that flows through an ONNX graph, by its name: an input, an initializer or the output of a node. */
    public record Value(String name) {}

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

    /** A named setting of an operation in an ONNX graph, such as the strides of a convolution. */
    public sealed interface Attribute {

        /** Its name in ONNX's operator schema. */
        String name();

        /** A whole number. */
        record Whole(String name, long value) implements Attribute {}

        /** Several integers. */
        record Wholes(String name, List<Long> values) implements Attribute {

            public Wholes {
                values = List.copyOf(values);
            }
        }

        /** A number in float. */
        record Real(String name, float value) implements Attribute {}

        /** A word, such as the name of a rule. */
        record Text(String name, String value) implements Attribute {}

        /** A whole number. */
        static Attribute of(String name, long value) {
            return new Whole(name, value);
        }

        /** Several integers. */
        static Attribute of(String name, List<Long> values) {
            return new Wholes(name, values);
        }

        /** A word. */
        static Attribute of(String name, String value) {
            return new Text(name, value);
        }
    }

    /** The size of one dimension of a tensor that goes into an ONNX graph or comes out of it. */
    public sealed interface Dimension {

        /** Known when the file is written. */
        record Fixed(long size) implements Dimension {}

        /** Known when the graph is run; equal names mean equal sizes. */
        record Named(String name) implements Dimension {}
    }

    /** The element types of tensors in an ONNX graph, with ONNX's code for each. */
    public enum ElementType {
        FLOAT(1, 4),
        UINT8(2, 1),
        INT8(3, 1),
        INT32(6, 4),
        INT64(7, 8);

        private final int code;
        private final int bytes;

        ElementType(int code, int bytes) {
            this.code = code;
            this.bytes = bytes;
        }

        /** {@code TensorProto.DataType}. */
        int code() {
            return code;
        }

        /** Bytes an element takes. */
        public int bytes() {
            return bytes;
        }
    }
}
