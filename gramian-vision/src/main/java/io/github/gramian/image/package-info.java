/**
 * From pixels to a network's input: the second package on the image's way, between {@code dataset}, which knows where
 * images lie, and {@code backbone}, which turns them into features.
 *
 * <p>{@link io.github.gramian.image.Preprocessing} defines which views of size×size are taken of an image and how their pixels
 * are scaled; {@link io.github.gramian.image.internal.ImageLoader} decodes and prepares images on several threads ahead of the
 * consumer and hands over batches in a fixed order, as Java arrays: no engine is needed up to here. Decoding is in {@code image.codec}.
 */
@NullMarked
package io.github.gramian.image;

import org.jspecify.annotations.NullMarked;
