package io.github.gramian.onnx.graph;

/** A tensor that flows through a graph: an input, an initializer or the output of a node. */
public record Value(String name) {}
