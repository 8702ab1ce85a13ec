/** Internal parts of {@code image}. They are not for users and may change at any time. */
@NullMarked
package io.github.gramian.image.internal;

import org.jspecify.annotations.NullMarked;
