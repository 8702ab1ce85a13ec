package io.github.gramian.onnx.runtime.internal;

import ai.onnxruntime.OnnxJavaType;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Normalisation.Channel;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.internal.InputPixels;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;

/** How a graph takes its images: the first scale under a name of the kind, others with their number after it. */
public enum InputKind {
    /** {@code images}: float [batch, 3, size, size], normalised. */
    IMAGES("images", OnnxJavaType.FLOAT, ChannelOrder.FIRST) {
        @Override
        long[] shape(long rows, int size) {
            return new long[] {rows, 3, size, size};
        }

        @Override
        void write(InputPixels pixels, Normalisation normalisation, ByteBuffer to) {
            FloatBuffer values = to.asFloatBuffer();
            pixels.images().forEach(values::put);
            to.limit(Math.multiplyExact(values.position(), Float.BYTES));
        }
    },

    /** {@code pixels}: uint8 [batch, size, size, 3], red, green, blue; the graph normalises them itself. */
    PIXELS("pixels", OnnxJavaType.UINT8, ChannelOrder.LAST) {
        @Override
        long[] shape(long rows, int size) {
            return new long[] {rows, size, size, 3};
        }

        @Override
        void write(InputPixels pixels, Normalisation normalisation, ByteBuffer to) {
            Samples samples = new Samples(normalisation);
            pixels.images().forEach(image -> samples.write(image, to));
            to.flip();
        }
    };

    private final String input;
    private final OnnxJavaType type;
    private final ChannelOrder order;

    InputKind(String input, OnnxJavaType type, ChannelOrder order) {
        this.input = input;
        this.type = type;
        this.order = order;
    }

    /** The kind of a graph with these inputs, if it is one of ours. */
    static InputKind of(List<String> inputs) {
        return Arrays.stream(values())
                .filter(kind -> inputs.contains(kind.input))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "its inputs are " + inputs + ", and neither 'images' nor 'pixels' is among them"));
    }

    /** That of pixels, or of normalised images. */
    public static InputKind of(boolean pixels) {
        return pixels ? PIXELS : IMAGES;
    }

    public String input(int scale) {
        return scale == 0 ? input : input + "_" + scale;
    }

    OnnxJavaType type() {
        return type;
    }

    /** The layout in which pixels are copied without moving them around. */
    ChannelOrder order() {
        return order;
    }

    /** Of an input with this number of rows. */
    abstract long[] shape(long rows, int size);

    /** Copies pixels to the start of memory, which then ends after them. */
    abstract void write(InputPixels pixels, Normalisation normalisation, ByteBuffer to);

    /**
     * From normalised values back to samples 0 to 255, for graphs that normalise themselves. It is exact: neighbouring samples
     * are thousands of roundings of a float apart.
     */
    private static final class Samples {

        /** For red, green and blue: the channel of the network's input that shows it, and how. */
        private final int[] place = new int[3];

        private final double[] factor = new double[3];
        private final double[] offset = new double[3];

        Samples(Normalisation normalisation) {
            for (int number = 0; number < 3; number++) {
                Channel channel = normalisation.channel(number);
                place[channel.source()] = number;
                factor[channel.source()] = channel.factor();
                offset[channel.source()] = channel.offset();
            }
        }

        /** Appends red, green and blue of each pixel. */
        void write(float[] normalised, ByteBuffer to) {
            for (int i = 0; i < normalised.length; i += 3) {
                for (int colour = 0; colour < 3; colour++) {
                    to.put((byte) Math.round((normalised[i + place[colour]] - offset[colour]) / factor[colour]));
                }
            }
        }
    }
}
