/**
 * From untrusted bytes to a plain RGB raster: {@link io.github.gramian.image.codec.ImageDecoder} decodes under limits, or
 * reports why it cannot. One codec for each format, none of which is public; neither is any class of AWT.
 */
@NullMarked
package io.github.gramian.image.codec;

import org.jspecify.annotations.NullMarked;
