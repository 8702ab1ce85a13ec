/** Similar images: {@code gramian index}, {@code gramian similar}, and {@link io.github.gramian.similar.ImageIndex} for Java. */
@NullMarked
package io.github.gramian.similar;

import org.jspecify.annotations.NullMarked;
