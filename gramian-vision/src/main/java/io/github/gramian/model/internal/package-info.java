/** Internal parts of {@code model}. They are not for users and may change at any time. */
@NullMarked
package io.github.gramian.model.internal;

import org.jspecify.annotations.NullMarked;
