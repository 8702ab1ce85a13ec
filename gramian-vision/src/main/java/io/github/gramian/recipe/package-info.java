/**
 * All settings of a training, as one record and its YAML: a {@link io.github.gramian.recipe.Recipe} defines data,
 * backbone, views, network and stages; unknown keys are errors that name the nearest key.
 */
@NullMarked
package io.github.gramian.recipe;

import org.jspecify.annotations.NullMarked;
