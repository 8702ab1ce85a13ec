/**
 * Tensors on disk: the safetensors format. A file is eight bytes of header length, a JSON header (name → type, shape,
 * place) and the raw data. Weights, models and checkpoints all use it; a file can be described without reading its data
 * and nothing in it is executed.
 */
@NullMarked
package io.github.gramian.tensor.safetensors.internal;

import org.jspecify.annotations.NullMarked;
