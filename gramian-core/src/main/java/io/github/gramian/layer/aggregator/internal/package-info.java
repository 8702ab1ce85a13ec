/** What {@code layer.aggregator} is made of; not for users, and free to change. */
@NullMarked
package io.github.gramian.layer.aggregator.internal;

import org.jspecify.annotations.NullMarked;
