/** What {@code dataset} is made of; not for users, and free to change. */
@NullMarked
package io.github.gramian.dataset.internal;

import org.jspecify.annotations.NullMarked;
