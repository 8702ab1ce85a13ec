package io.github.gramian.onnx.graph.internal;

/** The size of one dimension of a tensor that goes into an ONNX graph or comes out of it. */
public sealed interface Dimension {

    /** Known when the file is written. */
    record Fixed(long size) implements Dimension {}

    /** Known when the graph is run; equal names mean equal sizes. */
    record Named(String name) implements Dimension {}
}
