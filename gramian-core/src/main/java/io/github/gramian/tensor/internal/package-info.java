/** What {@code tensor} is made of; not for users, and free to change. */
@NullMarked
package io.github.gramian.tensor.internal;

import org.jspecify.annotations.NullMarked;
