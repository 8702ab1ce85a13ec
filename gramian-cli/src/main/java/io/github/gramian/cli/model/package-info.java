/** Commands on trained models: {@code gramian predict}, {@code describe}, {@code evaluate} and {@code model}. */
@NullMarked
package io.github.gramian.cli.model;

import org.jspecify.annotations.NullMarked;
