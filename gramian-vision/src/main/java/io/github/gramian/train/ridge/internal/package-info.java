/**
 * The classifier in closed form: ridge regression on descriptors, solved in the dual for few images, from moments or by
 * conjugate gradients for many; its penalty and temperature chosen by images that were not fitted to.
 */
@NullMarked
package io.github.gramian.train.ridge.internal;

import org.jspecify.annotations.NullMarked;
