/** What {@code run} is made of; not for users, and free to change. */
@NullMarked
package io.github.gramian.run.internal;

import org.jspecify.annotations.NullMarked;
