/**
 * Changes that make photographs worse: noise, blur, weather, compression, rotation and scale. They measure how robust a model
 * is. The first fifteen and their parameters are those of ImageNet-C (Hendrycks and Dietterich, ICLR 2019).
 *
 * <p>{@link io.github.gramian.image.corruption.internal.CorruptionType} lists them by name. A corruption is a function from
 * pixels to pixels. Random ones draw from a seed that the pixels determine, so a corrupted image is always the same.
 */
@NullMarked
package io.github.gramian.image.corruption.internal;

import org.jspecify.annotations.NullMarked;
