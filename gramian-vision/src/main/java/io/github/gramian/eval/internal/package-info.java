/** What {@code eval} is made of; not for users, and free to change. */
@NullMarked
package io.github.gramian.eval.internal;

import org.jspecify.annotations.NullMarked;
