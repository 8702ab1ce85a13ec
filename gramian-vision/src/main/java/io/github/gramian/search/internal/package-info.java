/**
 * The search for a recipe: candidates of a space are scored by repeated stratified folds inside the training images, with the
 * classifier in closed form on cached features; the cheapest candidates first, fewer of them on more images, under a time
 * budget. It stands above {@code train}, which trains the recipe that was chosen.
 */
@NullMarked
package io.github.gramian.search.internal;

import org.jspecify.annotations.NullMarked;
