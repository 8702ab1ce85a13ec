/**
 * From a recipe and images to a model: cached features, closed-form fits, gradient descent in two stages, checkpoints, and
 * the record of a run.
 */
@NullMarked
package io.github.gramian.train;

import org.jspecify.annotations.NullMarked;
