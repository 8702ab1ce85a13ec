/**
 * Aggregators other than the kernel, from feature maps M [batch, C, N] to a vector: average and maximum, compact bilinear
 * pooling, and codebooks, which are fitted to training features first ({@link
 * io.github.gramian.layer.aggregator.DataDependentInit}).
 */
@NullMarked
package io.github.gramian.layer.aggregator;

import org.jspecify.annotations.NullMarked;
