/** What {@code model.config} is made of; not for users, and free to change. */
@NullMarked
package io.github.gramian.model.config.internal;

import org.jspecify.annotations.NullMarked;
