/**
 * From a recipe and images to a model: initialisation, gradient descent in two stages, checkpoints and health. The
 * closed-form classifier is in {@code train.ridge}.
 */
@NullMarked
package io.github.gramian.train;

import org.jspecify.annotations.NullMarked;
