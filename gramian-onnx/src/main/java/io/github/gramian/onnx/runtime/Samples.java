package io.github.gramian.onnx.runtime;

import io.github.gramian.image.Normalisation;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.ChannelOrder;
import java.nio.ByteBuffer;

/**
 * The way back from normalised values to samples 0 to 255. It is exact: two neighbouring samples are thousands of
 * roundings of a float apart.
 */
final class Samples {

    private final float[] zero = new float[3];
    private final float[] step = new float[3];

    /** The channel of the network's input that shows red, green and blue. */
    private final int[] place = new int[3];

    private Samples(float[] black, float[] white) {
        for (int c = 0; c < 3; c++) {
            zero[c] = black[c];
            step[c] = (white[c] - black[c]) / 255;
        }
    }

    /** Found by asking what the normalisation makes of black, white and the three colours. */
    static Samples of(Normalisation normalisation) {
        float[] black = values(normalisation, 0, 0, 0);
        Samples samples = new Samples(black, values(normalisation, 255, 255, 255));
        for (int colour = 0; colour < 3; colour++) {
            int[] pure = new int[3];
            pure[colour] = 255;
            float[] shown = values(normalisation, pure[0], pure[1], pure[2]);
            for (int c = 0; c < 3; c++) {
                if (shown[c] != black[c]) {
                    samples.place[colour] = c;
                }
            }
        }
        return samples;
    }

    private static float[] values(Normalisation normalisation, int red, int green, int blue) {
        float[] values = new float[3];
        RgbImage pixel = new RgbImage(1, 1, new byte[] {(byte) red, (byte) green, (byte) blue});
        normalisation.write(pixel, ChannelOrder.LAST, values, 0);
        return values;
    }

    /** Appends red, green and blue of each pixel. */
    void write(float[] normalised, ByteBuffer to) {
        for (int i = 0; i < normalised.length; i += 3) {
            for (int channel : place) {
                to.put((byte) Math.round((normalised[i + channel] - zero[channel]) / step[channel]));
            }
        }
    }
}
