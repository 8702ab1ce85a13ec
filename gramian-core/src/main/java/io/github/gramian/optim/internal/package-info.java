/** Internal parts of {@code optim}. They are not for users and may change at any time. */
@NullMarked
package io.github.gramian.optim.internal;

import org.jspecify.annotations.NullMarked;
