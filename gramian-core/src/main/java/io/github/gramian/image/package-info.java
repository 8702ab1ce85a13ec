/**
 * From a file to numbers: the second room on the image's way, between {@code dataset}, which knows where images lie,
 * and {@code backbone}, which turns them into features.
 *
 * <p>{@link io.github.gramian.image.ImageDecoder} makes a plain RGB raster of untrusted bytes, or says why it cannot;
 * {@link io.github.gramian.image.Preprocessing} says which views of size×size are taken of it and how their numbers are
 * scaled; {@link io.github.gramian.image.ImageLoader} does both on several threads ahead of the consumer and hands over
 * batches in a fixed order. No class of AWT shows outside this package.
 */
@NullMarked
package io.github.gramian.image;

import org.jspecify.annotations.NullMarked;
