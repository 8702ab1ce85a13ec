/** What {@code check} is made of; not for users, and free to change. */
@NullMarked
package io.github.gramian.check.internal;

import org.jspecify.annotations.NullMarked;
