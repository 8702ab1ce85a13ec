package io.github.gramian.backbone.weights.internal;

import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** How a foreign weight is transposed to become ours; values are moved, never changed. */
public enum Layout {
    /** Already ours. */
    SAME {
        @Override
        public List<Long> shape(List<Long> foreign) {
            return foreign;
        }

        @Override
        public Tensor apply(Tensor foreign) {
            return foreign;
        }
    },
    /** A kernel as [height, width, inputs, outputs]. */
    HWIO_KERNEL {
        @Override
        public List<Long> shape(List<Long> foreign) {
            return foreign.size() == 4
                    ? List.of(foreign.get(3), foreign.get(2), foreign.get(0), foreign.get(1))
                    : foreign;
        }

        @Override
        public Tensor apply(Tensor foreign) {
            return foreign.permute(3, 2, 0, 1);
        }
    },
    /** A matrix as [inputs, outputs]. */
    TRANSPOSED {
        @Override
        public List<Long> shape(List<Long> foreign) {
            return foreign.size() == 2 ? List.of(foreign.get(1), foreign.get(0)) : foreign;
        }

        @Override
        public Tensor apply(Tensor foreign) {
            return foreign.permute(1, 0);
        }
    },
    /** A matrix as [7·7·512, outputs] after a flattening that runs over channels fastest; ours runs over them slowest. */
    FLATTENED_CHANNELS_LAST {
        @Override
        public List<Long> shape(List<Long> foreign) {
            return TRANSPOSED.shape(foreign);
        }

        @Override
        public Tensor apply(Tensor foreign) {
            long outputs = foreign.size(1);
            return foreign.reshape(7, 7, -1, outputs).permute(3, 2, 0, 1).reshape(outputs, -1);
        }
    },
    /** A fully connected layer stored as the convolution [outputs, inputs, height, width] that computes the same. */
    CONVOLUTIONAL_MATRIX {
        @Override
        public List<Long> shape(List<Long> foreign) {
            return foreign.size() == 4
                    ? List.of(foreign.get(0), foreign.get(1) * foreign.get(2) * foreign.get(3))
                    : foreign;
        }

        @Override
        public Tensor apply(Tensor foreign) {
            return foreign.reshape(foreign.size(0), -1);
        }
    },
    /** One value per channel, as [channels]; ours are [channels, 1, 1]. */
    CHANNEL_SCALE {
        @Override
        public List<Long> shape(List<Long> foreign) {
            return foreign.size() == 1 ? List.of(foreign.get(0), 1L, 1L) : foreign;
        }

        @Override
        public Tensor apply(Tensor foreign) {
            return foreign.reshape(-1, 1, 1);
        }
    },
    /**
     * Embeddings of positions. With registers, timm has none for the class token, because it has added it to the token itself;
     * ours is zero then.
     */
    POSITIONS {
        @Override
        public List<Long> shape(List<Long> foreign) {
            return lacksClass(foreign) ? List.of(1L, foreign.get(1) + 1, foreign.get(2)) : foreign;
        }

        @Override
        public Tensor apply(Tensor foreign) {
            boolean lacks = lacksClass(List.of(foreign.size(0), foreign.size(1), foreign.size(2)));
            return lacks ? torch.constant_pad_nd(foreign, 0, 0, 1, 0) : foreign;
        }

        /** A square number of positions is a grid without a class token. */
        private boolean lacksClass(List<Long> shape) {
            if (shape.size() != 3 || shape.get(1) < 1) {
                return false;
            }
            long side = Math.round(Math.sqrt(shape.get(1)));
            return side * side == shape.get(1);
        }
    };

    /** The shape in our layout. A shape that does not fit is returned unchanged, so that the check reports it. */
    public abstract List<Long> shape(List<Long> foreign);

    /** The foreign weight in our layout, of the shape that {@link #shape} returns. */
    public abstract Tensor apply(Tensor foreign);
}
