/** Networks put together from layers: what a recipe describes becomes a {@link io.github.gramian.model.Head}. */
@NullMarked
package io.github.gramian.model;

import org.jspecify.annotations.NullMarked;
