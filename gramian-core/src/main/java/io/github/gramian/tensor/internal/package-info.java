/** Internal parts of {@code tensor}. They are not for users and may change at any time. */
@NullMarked
package io.github.gramian.tensor.internal;

import org.jspecify.annotations.NullMarked;
