/**
 * Heads in Python compared with ours, each in its own process that computes when told to: the implementation of
 * {@code gramian bench peers}. The programs themselves are resources of this package.
 */
@NullMarked
package io.github.gramian.bench.peer;

import org.jspecify.annotations.NullMarked;
