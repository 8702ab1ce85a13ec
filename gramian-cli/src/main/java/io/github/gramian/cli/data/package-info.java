/** Commands on images: {@code gramian data} and {@code gramian features}. */
@NullMarked
package io.github.gramian.cli.data;

import org.jspecify.annotations.NullMarked;
