/** Descriptors as short vectors of unit length: principal components, and the file that stores them. */
@NullMarked
package io.github.gramian.similar.vector.internal;

import org.jspecify.annotations.NullMarked;
