/** What {@code backbone.weights} is made of; not for users, and free to change. */
@NullMarked
package io.github.gramian.backbone.weights.internal;

import org.jspecify.annotations.NullMarked;
