/** What {@code distributed} is made of; not for users, and free to change. */
@NullMarked
package io.github.gramian.distributed.internal;

import org.jspecify.annotations.NullMarked;
