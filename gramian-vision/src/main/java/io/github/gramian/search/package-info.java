/**
 * Finds a recipe for a dataset under a time budget and trains it. It stands above {@code train}, which trains the recipe that
 * was chosen.
 */
@NullMarked
package io.github.gramian.search;

import org.jspecify.annotations.NullMarked;
