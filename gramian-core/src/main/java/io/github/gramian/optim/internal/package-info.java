/** What {@code optim} is made of; not for users, and free to change. */
@NullMarked
package io.github.gramian.optim.internal;

import org.jspecify.annotations.NullMarked;
