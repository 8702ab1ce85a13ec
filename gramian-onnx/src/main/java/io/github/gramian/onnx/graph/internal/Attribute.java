package io.github.gramian.onnx.graph.internal;

import java.util.List;

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

    /** A whole number. */
    static Attribute of(String name, long value) {
        return new Whole(name, value);
    }

    /** Several integers. */
    static Attribute of(String name, List<Long> values) {
        return new Wholes(name, values);
    }
}
