/**
 * Which part of an image decided: the contribution of every position of the feature maps to the score of a class, as one map
 * on the image. {@link io.github.gramian.model.explain.internal.Explainer} is the entry; {@link
 * io.github.gramian.model.explain.internal.Contributions} is the mathematics.
 */
@NullMarked
package io.github.gramian.model.explain.internal;

import org.jspecify.annotations.NullMarked;
