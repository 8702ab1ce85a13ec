package io.github.gramian.train.novelty.internal;

import org.bytedeco.pytorch.Tensor;

/**
 * y = directionsᵀ(x − mean).
 *
 * @param mean [size]
 * @param directions [size, rank]
 */
record Projection(Tensor mean, Tensor directions) {}
