/** Internal parts of {@code image.codec}. They are not for users and may change at any time. */
@NullMarked
package io.github.gramian.image.codec.internal;

import org.jspecify.annotations.NullMarked;
