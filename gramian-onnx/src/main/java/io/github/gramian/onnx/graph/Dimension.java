package io.github.gramian.onnx.graph;

/** One dimension of an input or output. */
public sealed interface Dimension {

    /** Known when the file is written. */
    record Fixed(long size) implements Dimension {}

    /** Known when the graph is run; equal names mean equal sizes. */
    record Named(String name) implements Dimension {}
}
