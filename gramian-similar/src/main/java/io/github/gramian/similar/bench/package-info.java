/** Measurements of retrieval: {@code gramian bench retrieval} and {@code gramian bench similar}. */
@NullMarked
package io.github.gramian.similar.bench;

import org.jspecify.annotations.NullMarked;
