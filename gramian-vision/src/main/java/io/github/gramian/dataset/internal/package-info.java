/** Internal parts of {@code dataset}. They are not for users and may change at any time. */
@NullMarked
package io.github.gramian.dataset.internal;

import org.jspecify.annotations.NullMarked;
