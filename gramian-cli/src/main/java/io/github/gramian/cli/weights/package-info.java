/** Commands on weights of backbones: {@code gramian weights}. */
@NullMarked
package io.github.gramian.cli.weights;

import org.jspecify.annotations.NullMarked;
