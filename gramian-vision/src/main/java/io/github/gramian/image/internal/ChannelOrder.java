package io.github.gramian.image.internal;

import org.bytedeco.pytorch.global.torch.MemoryFormat;

/** The memory layout of a [batch, 3, height, width] tensor; its shape is the same in both. */
public enum ChannelOrder {
    /** Plane after plane: LibTorch's contiguous format. */
    FIRST,
    /** Pixel after pixel: LibTorch's channels_last, in which convolutions on the CPU are fastest. */
    LAST;

    MemoryFormat memoryFormat() {
        return this == FIRST ? MemoryFormat.Contiguous : MemoryFormat.ChannelsLast;
    }
}
