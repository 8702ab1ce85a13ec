package io.github.gramian.backbone.internal;

import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.DoubleOptional;
import org.bytedeco.pytorch.InterpolateFuncOptions;
import org.bytedeco.pytorch.InterpolateMode;
import org.bytedeco.pytorch.LongVector;
import org.bytedeco.pytorch.LongVectorOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.kBicubic;

/**
 * How embeddings of positions, learned on a grid of 37×37 patches (518 pixels), are resized bicubically to the grid of an
 * image. On their own grid they are unchanged.
 */
enum PositionEmbedding {
    /**
     * DINOv2's first networks: no filter, and coordinates scaled as if the grid had 0.1 more rows and columns, which its authors
     * added against rounding. Weights were trained with it, so it is part of the network.
     */
    OFFSET {
        @Override
        Tensor bicubic(Tensor maps, long rows, long columns) {
            return torch.upsample_bicubic2d(
                    maps,
                    new long[] {rows, columns},
                    false,
                    new DoubleOptional((rows + 0.1) / GRID),
                    new DoubleOptional((columns + 0.1) / GRID));
        }
    },
    /** DINOv2 with registers, and timm: to the exact size, smoothed where it shrinks (antialias). */
    SMOOTHED {
        @Override
        Tensor bicubic(Tensor maps, long rows, long columns) {
            InterpolateFuncOptions options = new InterpolateFuncOptions();
            options.size().put(new LongVectorOptional(new LongVector(rows, columns)));
            options.mode().put(new InterpolateMode(new kBicubic()));
            options.align_corners().put(new BoolOptional(false));
            options.antialias().put(true);
            return torch.interpolate(maps, options);
        }
    };

    /** Rows and columns that were learned. */
    static final int GRID = 37;

    static final long POSITIONS = (long) GRID * GRID;

    /**
     * The learned grid, resampled to the positions of an image.
     *
     * @param stored [1, 37·37, channels], row by row
     * @return [1, rows·columns, channels]
     */
    Tensor resized(Tensor stored, long rows, long columns) {
        if (rows == GRID && columns == GRID) {
            return stored;
        }
        long channels = stored.size(2);
        Tensor maps = stored.reshape(1, GRID, GRID, channels).permute(0, 3, 1, 2);
        return bicubic(maps, rows, columns).permute(0, 2, 3, 1).reshape(1, rows * columns, channels);
    }

    abstract Tensor bicubic(Tensor maps, long rows, long columns);
}
