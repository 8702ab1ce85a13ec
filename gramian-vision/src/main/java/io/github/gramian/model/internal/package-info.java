/** What {@code model} is made of; not for users, and free to change. */
@NullMarked
package io.github.gramian.model.internal;

import org.jspecify.annotations.NullMarked;
