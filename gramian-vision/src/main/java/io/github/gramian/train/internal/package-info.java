/** Parts of a training that other programs of the library use as well: the start of a network, sources that may be stopped. */
@NullMarked
package io.github.gramian.train.internal;

import org.jspecify.annotations.NullMarked;
