/** Internal parts of {@code model.config}. They are not for users and may change at any time. */
@NullMarked
package io.github.gramian.model.config.internal;

import org.jspecify.annotations.NullMarked;
