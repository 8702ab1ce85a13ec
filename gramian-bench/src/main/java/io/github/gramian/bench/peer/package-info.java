/**
 * Other people's heads beside ours, each in a Python process of its own that computes when told to: what stands behind
 * {@code gramian bench peers}. The programs themselves are resources of this package.
 */
@NullMarked
package io.github.gramian.bench.peer;

import org.jspecify.annotations.NullMarked;
