/** Internal parts of {@code layer.aggregator}. They are not for users and may change at any time. */
@NullMarked
package io.github.gramian.layer.aggregator.internal;

import org.jspecify.annotations.NullMarked;
