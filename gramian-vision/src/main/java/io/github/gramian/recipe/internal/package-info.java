/** Internal parts of {@code recipe}. They are not for users and may change at any time. */
@NullMarked
package io.github.gramian.recipe.internal;

import org.jspecify.annotations.NullMarked;
