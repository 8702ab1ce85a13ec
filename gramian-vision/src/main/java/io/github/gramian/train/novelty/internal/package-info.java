/** Fits the reference of training images by which a model recognises unknown images. */
@NullMarked
package io.github.gramian.train.novelty.internal;

import org.jspecify.annotations.NullMarked;
