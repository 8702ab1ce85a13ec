/** What {@code recipe} is made of; not for users, and free to change. */
@NullMarked
package io.github.gramian.recipe.internal;

import org.jspecify.annotations.NullMarked;
