package io.github.gramian.image;

import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.codec.RgbImage;
import java.util.Locale;

/** From 8-bit samples to the pixel values that a network was trained on. Each channel is {@code (v·scale − mean) / std}. */
public enum Normalisation {
    /** Blue, green, red; 0 to 255 minus the mean of ImageNet. Of Caffe's and Keras' VGG and ResNet. */
    CAFFE(new int[] {2, 1, 0}, 1, new double[] {103.939, 116.779, 123.68}, new double[] {1, 1, 1}),

    /** Red, green, blue; 0 to 1, minus mean, over standard deviation of ImageNet. */
    TORCHVISION(new int[] {0, 1, 2}, 1.0 / 255, new double[] {0.485, 0.456, 0.406}, new double[] {0.229, 0.224, 0.225});

    /**
     * What happens to one channel: v of red, green or blue becomes {@code v·factor + offset}.
     *
     * @param source 0 for red, 1 for green, 2 for blue
     */
    public record Channel(int source, double factor, double offset) {}

    @SuppressWarnings("ImmutableEnumChecker") // written only by the constructor
    private final double[] factors = new double[3];

    @SuppressWarnings("ImmutableEnumChecker") // written only by the constructor
    private final double[] offsets = new double[3];

    /** Which of red, green and blue each output channel shows, 2 bits each. */
    private final int channels;

    /** The number for sample v of output channel c stands at 256c + v; written only by the constructor. */
    @SuppressWarnings("ImmutableEnumChecker")
    private final float[] table = new float[3 * 256];

    Normalisation(int[] channels, double scale, double[] mean, double[] std) {
        this.channels = channels[0] | (channels[1] << 2) | (channels[2] << 4);
        for (int c = 0; c < 3; c++) {
            factors[c] = scale / std[c];
            offsets[c] = -mean[c] / std[c];
            for (int v = 0; v < 256; v++) {
                table[256 * c + v] = (float) ((v * scale - mean[c]) / std[c]);
            }
        }
    }

    /** The name in recipes and cache keys. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The scaling of one channel of the network's input, 0 to 2. */
    public Channel channel(int number) {
        return new Channel(source(number), factors[number], offsets[number]);
    }

    /** Writes an image's 3·width·height values in this layout, from this index of the array on. */
    public void write(RgbImage image, ChannelOrder order, float[] to, int offset) {
        byte[] rgb = image.pixels();
        int pixels = rgb.length / 3;
        if (offset < 0 || offset + 3L * pixels > to.length) {
            throw new IllegalArgumentException(
                    "an array of " + to.length + " values has no space for 3·" + pixels + " from index " + offset);
        }
        if (order == ChannelOrder.LAST) {
            writePixels(rgb, to, offset);
        } else {
            for (int c = 0; c < 3; c++) {
                writePlane(c, rgb, to, offset + c * pixels);
            }
        }
    }

    /** Pixel after pixel, in one pass over both arrays. */
    private void writePixels(byte[] rgb, float[] to, int offset) {
        int first = source(0);
        int second = source(1);
        int third = source(2);
        for (int i = 0, out = offset; i < rgb.length; i += 3, out += 3) {
            to[out] = table[rgb[i + first] & 0xFF];
            to[out + 1] = table[256 + (rgb[i + second] & 0xFF)];
            to[out + 2] = table[512 + (rgb[i + third] & 0xFF)];
        }
    }

    private void writePlane(int channel, byte[] rgb, float[] to, int offset) {
        int base = 256 * channel;
        for (int i = source(channel), out = offset; i < rgb.length; i += 3, out++) {
            to[out] = table[base + (rgb[i] & 0xFF)];
        }
    }

    /** Which of red, green and blue an output channel shows. */
    private int source(int channel) {
        return (channels >> (2 * channel)) & 3;
    }
}
