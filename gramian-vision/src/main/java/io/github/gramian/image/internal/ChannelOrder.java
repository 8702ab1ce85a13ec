package io.github.gramian.image.internal;

/** The memory layout of [batch, 3, height, width] values; the shape is the same in both. */
public enum ChannelOrder {
    /** Plane after plane: LibTorch's contiguous format. */
    FIRST,
    /** Pixel after pixel: LibTorch's channels_last, in which its convolutions on the CPU are fastest. */
    LAST
}
