/** Internal parts of {@code distributed}. They are not for users and may change at any time. */
@NullMarked
package io.github.gramian.distributed.internal;

import org.jspecify.annotations.NullMarked;
