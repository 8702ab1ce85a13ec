package io.github.gramian.onnx.graph.internal;

import java.util.List;

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
