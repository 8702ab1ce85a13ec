/** Internal parts of {@code eval}. They are not for users and may change at any time. */
@NullMarked
package io.github.gramian.eval.internal;

import org.jspecify.annotations.NullMarked;
