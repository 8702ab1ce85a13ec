/** Descriptors as rows of a matrix: computed by a network, kept in memory or in a temporary file. */
@NullMarked
package io.github.gramian.train.descriptor.internal;

import org.jspecify.annotations.NullMarked;
