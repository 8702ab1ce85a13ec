/** What {@code layer} is made of; not for users, and free to change. */
@NullMarked
package io.github.gramian.layer.internal;

import org.jspecify.annotations.NullMarked;
