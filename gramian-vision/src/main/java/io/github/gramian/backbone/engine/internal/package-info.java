/** Pixels as tensors, and engines that compute the features of frozen networks faster than LibTorch does layer by layer. */
@NullMarked
package io.github.gramian.backbone.engine.internal;

import org.jspecify.annotations.NullMarked;
