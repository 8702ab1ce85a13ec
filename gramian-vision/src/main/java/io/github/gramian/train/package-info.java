/**
 * From a recipe and images to a model: the start, gradient descent in two stages, checkpoints and health. The classifier in
 * closed form is told in {@code train.ridge}.
 */
@NullMarked
package io.github.gramian.train;

import org.jspecify.annotations.NullMarked;
