/** Internal parts of {@code check}. They are not for users and may change at any time. */
@NullMarked
package io.github.gramian.check.internal;

import org.jspecify.annotations.NullMarked;
