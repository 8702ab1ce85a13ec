/**
 * Heads in Python compared with ours, each in its own process that computes on request: the implementation of
 * {@code gramian bench peers}. The Python scripts are resources of this package.
 */
@NullMarked
package io.github.gramian.bench.peer;

import org.jspecify.annotations.NullMarked;
