/**
 * ONNX files: a graph of nodes, written as protocol buffers without a library. It knows nothing of models; {@code export}
 * says what the nodes are.
 */
@NullMarked
package io.github.gramian.onnx.graph.internal;

import org.jspecify.annotations.NullMarked;
