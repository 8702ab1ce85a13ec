package io.github.gramian.onnx.parity;

import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.RgbImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Views of several images at once, and what is made of their results. */
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

    /** The mean of each image's views. */
    public static float[][] fused(float[][] rows, int views) {
        float[][] fused = new float[rows.length / views][];
        for (int i = 0; i < fused.length; i++) {
            fused[i] = new float[rows[0].length];
            for (int k = 0; k < fused[i].length; k++) {
                double sum = 0;
                for (int v = 0; v < views; v++) {
                    sum += rows[i * views + v][k];
                }
                fused[i][k] = (float) (sum / views);
            }
        }
        return fused;
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
