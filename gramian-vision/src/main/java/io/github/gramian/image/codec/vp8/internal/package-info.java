/**
 * A WebP decoder, bit-exact with libwebp (and so with Pillow); only {@code image.codec} uses it.
 *
 * <p>Lossy frames (VP8's key frames, RFC 6386): {@link io.github.gramian.image.codec.vp8.internal.Vp8Frame} reads the header and goes
 * through the macroblocks, {@code Residuals} reads what the prediction misses, {@code Prediction} predicts, {@code
 * LoopFilter} smooths the blocks' edges when all are there, {@code Colours} makes RGB of it. Lossless frames (RFC 9649):
 * {@link io.github.gramian.image.codec.vp8.internal.LosslessFrame} reads the codes and the pixels, {@code LosslessTransform} undoes
 * what made them easier to code.
 */
@NullMarked
package io.github.gramian.image.codec.vp8.internal;

import org.jspecify.annotations.NullMarked;
