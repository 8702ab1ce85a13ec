/** What {@code backbone} is made of; not for users, and free to change. */
@NullMarked
package io.github.gramian.backbone.internal;

import org.jspecify.annotations.NullMarked;
