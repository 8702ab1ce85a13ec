package io.github.gramian.onnx.runtime.internal;

import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Normalisation.Channel;
import java.nio.ByteBuffer;

/**
 * From normalised values back to samples 0 to 255, for graphs that normalise themselves. It is exact: neighbouring samples
 * are thousands of roundings of a float apart.
 */
final class Samples {

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
