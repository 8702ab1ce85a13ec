package io.github.gramian.dense.internal;

import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.Resize;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.codec.RgbImage.Window;
import io.github.gramian.image.internal.Resampler;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Function;
import org.bytedeco.pytorch.MemoryFormatOptional;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

/**
 * How a network sees a whole photograph: resized in proportion, nothing cut off. The photograph passes the network in strips of
 * rows, and a {@link Head} reduces the features of every strip at once, so that a photograph of 48 megapixels never has all its
 * features in memory.
 *
 * @param resize the size of the photograph as the network sees it
 * @param interpolation of the resizing
 * @param normalisation of the pixels
 */
public record WholePhoto(Resize resize, Interpolation interpolation, Normalisation normalisation) {

    /** Pixels of a strip: enough to keep all threads busy, few enough for the memory of all layers. */
    private static final int STRIP_PIXELS = 1 << 19;

    /** Rows of a strip are a multiple of this, the stride of the deepest layers. */
    private static final int STRIP_ROWS = 32;

    /** The most pixels that a photograph has after it was resized. */
    public static final long MAX_PIXELS = 64L << 20;

    /** A function of feature maps that treats every position by itself. */
    public interface Head {

        /** The layers whose features it takes. */
        List<String> taps();

        /**
         * Reduces channels.
         *
         * @param tap index of the layer
         * @param rows [1, channels, rows, width], in float
         * @return [1, fewer channels, rows, width]
         */
        Tensor reduce(int tap, Tensor rows);
    }

    /**
     * A photograph that was decoded for a network.
     *
     * @param decoded its pixels, of which a large photograph may have fewer than its file; or why there are none
     * @param width of the file, in pixels
     * @param height of the file, in pixels
     */
    public record Opened(Decoded decoded, int width, int height) {

        /** Its pixels; empty if it was rejected. */
        public Optional<RgbImage> picture() {
            return decoded instanceof Decoded.Picture picture ? Optional.of(picture.image()) : Optional.empty();
        }

        /** Why it was rejected. */
        public Decoded.Rejected rejected() {
            return (Decoded.Rejected) decoded;
        }
    }

    /** Pixels that a photograph of this size has after it was resized. */
    public long pixels(long width, long height) {
        int fullWidth = Math.toIntExact(width);
        int fullHeight = Math.toIntExact(height);
        return (long) resize.widthOf(fullWidth, fullHeight) * resize.heightOf(fullWidth, fullHeight);
    }

    /** Decodes as many pixels as the network needs. */
    public Opened open(Function<Reduction, Decoded> decode) {
        int[] size = new int[2];
        Decoded decoded = decode.apply((width, height) -> {
            size[0] = width;
            size[1] = height;
            return Reduction.leaving(width, height, resize.widthOf(width, height), resize.heightOf(width, height));
        });
        // Formats that cannot be reduced do not ask by how much.
        return decoded instanceof Decoded.Picture picture && size[0] == 0
                ? new Opened(decoded, picture.image().width(), picture.image().height())
                : new Opened(decoded, size[0], size[1]);
    }

    /** The photograph as the network sees it; empty if it was rejected. */
    public Optional<RgbImage> resized(Opened photograph) {
        return photograph.picture().map(picture -> resized(picture, photograph.width, photograph.height));
    }

    /** The photograph as the network sees it. */
    public RgbImage resized(RgbImage photograph) {
        return resized(photograph, photograph.width(), photograph.height());
    }

    private RgbImage resized(RgbImage photograph, int fullWidth, int fullHeight) {
        int width = resize.widthOf(fullWidth, fullHeight);
        int height = resize.heightOf(fullWidth, fullHeight);
        if ((long) width * height > MAX_PIXELS) {
            throw new IllegalArgumentException("a photograph of " + fullWidth + "×" + fullHeight
                    + " pixels would be enlarged to " + width + "×" + height + ", more than " + MAX_PIXELS
                    + " pixels; use a smaller scale");
        }
        return new Resampler(interpolation).resize(photograph, width, height);
    }

    /**
     * The reduced features of a resized photograph, for each of the head's layers: [1, channels, height, width], in float, in the
     * caller's scope.
     */
    public List<Tensor> reduced(ConvolutionalBackbone backbone, RgbImage resized, Head head) {
        List<String> taps = head.taps();
        List<List<Tensor>> parts =
                taps.stream().<List<Tensor>>map(tap -> new ArrayList<>()).toList();
        try (Scope scope = Scope.open();
                NoGradGuard noGradients = new NoGradGuard()) {
            try {
                backbone.stream(new Strips(resized), taps, (tap, rows) -> {
                    int index = taps.indexOf(tap);
                    Tensor reduced =
                            head.reduce(index, Placement.cpu(Precision.FLOAT).place(rows));
                    parts.get(index).add(Scope.own(reduced.contiguous()));
                });
                return parts.stream()
                        .map(part -> scope.promote(torch.cat(new TensorVector(part.toArray(Tensor[]::new)), 2)))
                        .toList();
            } finally {
                parts.forEach(part -> part.forEach(Scope::disown));
            }
        }
    }

    /** The strips of a photograph, from top to bottom. */
    private final class Strips implements Iterator<Tensor> {

        private final RgbImage photograph;
        private final int rows;
        private int next;

        Strips(RgbImage photograph) {
            this.photograph = photograph;
            this.rows = Math.max(2, STRIP_PIXELS / photograph.width() / STRIP_ROWS) * STRIP_ROWS;
        }

        @Override
        public boolean hasNext() {
            return next < photograph.height();
        }

        @Override
        public Tensor next() {
            if (!hasNext()) {
                throw new NoSuchElementException("the photograph has no more rows");
            }
            // The last strip takes what would be too little for a strip of its own.
            int left = photograph.height() - next;
            int height = left < rows + STRIP_ROWS ? left : rows;
            RgbImage strip = photograph.cut(new Window(0, next, photograph.width(), height, false));
            next += height;
            return pixels(strip);
        }
    }

    /** Normalised pixels: [1, 3, height, width] in the current scope. */
    private Tensor pixels(RgbImage image) {
        float[] values = new float[image.pixels().length];
        normalisation.write(image, ChannelOrder.LAST, values, 0);
        Tensor tensor = torch.empty(
                new long[] {1, 3, image.height(), image.width()},
                Placement.cpu(Precision.FLOAT).options(),
                new MemoryFormatOptional(MemoryFormat.ChannelsLast));
        FloatBuffer memory = tensor.data_ptr_float().capacity(values.length).asBuffer();
        memory.put(values);
        return tensor;
    }
}
