/**
 * Trained models as graphs of standard ONNX operators: backbone, branches and classifier, each written from the public
 * views of configuration and weights alone.
 */
@NullMarked
package io.github.gramian.onnx.export.internal;

import org.jspecify.annotations.NullMarked;
