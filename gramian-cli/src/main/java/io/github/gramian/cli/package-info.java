/**
 * The {@code gramian} command. It prints and exits; everything it computes comes from the libraries. Commands are in
 * packages by topic; those of other modules are found as {@link io.github.gramian.cli.Subcommand}.
 */
@NullMarked
package io.github.gramian.cli;

import org.jspecify.annotations.NullMarked;
