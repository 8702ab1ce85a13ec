/**
 * ONNX files: a graph of nodes, written as protocol buffers without a library. This package does not depend on models; {@code export}
 * defines the nodes.
 */
@NullMarked
package io.github.gramian.onnx.graph.internal;

import org.jspecify.annotations.NullMarked;
