/** What {@code image.codec} is made of; not for users, and free to change. */
@NullMarked
package io.github.gramian.image.codec.internal;

import org.jspecify.annotations.NullMarked;
