/**
 * Lossy WebP: key frames of VP8 after RFC 6386, to the bit as libwebp decodes them (and Pillow with it). It is here
 * because the reader of TwelveMonkeys 3.14.0 gives wrong colours; it serves {@code image} and nobody else.
 *
 * <p>A frame's way: {@link io.github.gramian.image.vp8.Vp8Frame} reads the header and goes through the macroblocks,
 * {@code Residuals} reads what the prediction misses, {@code Prediction} predicts, {@code LoopFilter} smooths the
 * blocks' edges when all are there, {@code Colours} makes RGB of it.
 */
@NullMarked
package io.github.gramian.image.vp8;

import org.jspecify.annotations.NullMarked;
