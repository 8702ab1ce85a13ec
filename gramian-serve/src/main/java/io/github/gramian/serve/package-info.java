/** A server for trained models: {@code gramian serve}. */
@NullMarked
package io.github.gramian.serve;

import org.jspecify.annotations.NullMarked;
