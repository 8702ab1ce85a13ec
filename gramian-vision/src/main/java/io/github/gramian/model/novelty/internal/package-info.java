/**
 * How unlike the training images an image is: a compact reference of training descriptors, and the conformal p-value of a
 * new one. Needs only arrays, so that all engines give the same answer.
 */
@NullMarked
package io.github.gramian.model.novelty.internal;

import org.jspecify.annotations.NullMarked;
