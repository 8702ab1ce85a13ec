/** The command {@code gramian studio}. */
@NullMarked
package io.github.gramian.studio;

import org.jspecify.annotations.NullMarked;
