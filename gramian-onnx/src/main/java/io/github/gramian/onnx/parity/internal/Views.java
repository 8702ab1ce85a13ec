package io.github.gramian.onnx.parity.internal;

import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.InputPixels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Makes batches of the views of several images, and reads the class from probabilities. */
public final class Views {

    private Views() {}

    /** The views of images from..to, one after another, for each scale; those of files that cannot be read are left out. */
    public static List<List<RgbImage>> batch(SampleImages images, int from, int to, List<Preprocessing> scales) {
        List<List<RgbImage>> batch = new ArrayList<>();
        scales.forEach(scale -> batch.add(new ArrayList<>()));
        for (int i = from; i < to; i++) {
            Optional<List<List<RgbImage>>> views = images.views(i, scales);
            if (views.isPresent()) {
                for (int scale = 0; scale < scales.size(); scale++) {
                    batch.get(scale).addAll(views.get().get(scale));
                }
            }
        }
        return batch;
    }

    /** The same views as a graph or network takes them, one row each. */
    public static List<InputPixels> pixels(List<List<RgbImage>> batch, List<Preprocessing> scales, ChannelOrder order) {
        return IntStream.range(0, scales.size())
                .mapToObj(s -> pixels(batch.get(s), scales.get(s), order))
                .toList();
    }

    private static InputPixels pixels(List<RgbImage> views, Preprocessing scale, ChannelOrder order) {
        List<float[]> rows = new ArrayList<>();
        for (RgbImage view : views) {
            float[] pixels = new float[scale.viewLength()];
            scale.normalisation().write(view, order, pixels, 0);
            rows.add(pixels);
        }
        return new InputPixels(rows, scale.size(), order);
    }

    /** The place of the largest value, the first of equal ones. */
    public static int top(float[] row) {
        int best = 0;
        for (int k = 1; k < row.length; k++) {
            best = row[k] > row[best] ? k : best;
        }
        return best;
    }
}
