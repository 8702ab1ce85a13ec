/**
 * Checks of a dataset before anything is computed from it: does every file decode, how large are the images, and does the
 * test set hold images that training has seen? Entered by {@link io.github.gramian.dataset.inspect.internal.Inspector}.
 */
@NullMarked
package io.github.gramian.dataset.inspect.internal;

import org.jspecify.annotations.NullMarked;
