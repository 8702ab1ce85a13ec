package io.github.gramian.backbone.internal;

import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

/** Tokens of a vision transformer: some that stand for the whole image, then one for each patch, row by row. */
final class Tokens {

    private Tokens() {}

    /**
     * The patches' tokens as feature maps: positions are patches, channels their features.
     *
     * @param tokens [batch, others + rows·columns, channels]
     * @return [batch, channels, rows, columns] in channels-last layout
     */
    static Tensor maps(Tensor tokens, long others, long rows, long columns) {
        return tokens.narrow(1, others, rows * columns)
                .reshape(tokens.size(0), rows, columns, tokens.size(2))
                .permute(0, 3, 1, 2)
                .contiguous(MemoryFormat.ChannelsLast);
    }
}
