/** The {@code gramian} command. It prints and exits; everything it computes comes from the core. */
@NullMarked
package io.github.gramian.cli;

import org.jspecify.annotations.NullMarked;
