/**
 * Feature maps M [batch, C, N] to a matrix K [batch, C, C] that compares channels: kernels of distances and of inner
 * products, the bandwidths of the former, and the layer that applies them ({@link
 * io.github.gramian.layer.kernel.KernelAggregation}).
 */
@NullMarked
package io.github.gramian.layer.kernel;

import org.jspecify.annotations.NullMarked;
