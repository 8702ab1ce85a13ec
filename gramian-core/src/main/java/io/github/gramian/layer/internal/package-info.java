/** Internal parts of {@code layer}. They are not for users and may change at any time. */
@NullMarked
package io.github.gramian.layer.internal;

import org.jspecify.annotations.NullMarked;
