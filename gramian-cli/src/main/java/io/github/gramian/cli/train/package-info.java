/** Commands that train: {@code gramian train}, {@code resume} and {@code recipe}, in one or several processes. */
@NullMarked
package io.github.gramian.cli.train;

import org.jspecify.annotations.NullMarked;
