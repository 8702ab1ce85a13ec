/** The search for a recipe: {@code gramian search}. */
@NullMarked
package io.github.gramian.cli.search;

import org.jspecify.annotations.NullMarked;
