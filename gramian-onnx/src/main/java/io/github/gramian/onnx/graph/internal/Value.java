package io.github.gramian.onnx.graph.internal;

/** A tensor that flows through an ONNX graph, by its name: an input, an initializer or the output of a node. */
public record Value(String name) {}
