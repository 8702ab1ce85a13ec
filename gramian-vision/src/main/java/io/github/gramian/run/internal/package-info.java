/** Internal parts of {@code run}. They are not for users and may change at any time. */
@NullMarked
package io.github.gramian.run.internal;

import org.jspecify.annotations.NullMarked;
