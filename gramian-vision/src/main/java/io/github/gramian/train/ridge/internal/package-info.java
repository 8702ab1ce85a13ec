/**
 * The classifier in closed form: ridge regression on descriptors, solved in the dual, its penalty and temperature chosen by
 * leaving out one image at a time.
 */
@NullMarked
package io.github.gramian.train.ridge.internal;

import org.jspecify.annotations.NullMarked;
