/** What {@code image} is made of; not for users, and free to change. */
@NullMarked
package io.github.gramian.image.internal;

import org.jspecify.annotations.NullMarked;
