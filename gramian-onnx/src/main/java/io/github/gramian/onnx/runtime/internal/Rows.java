package io.github.gramian.onnx.runtime.internal;

import ai.onnxruntime.OnnxTensor;
import io.github.gramian.model.internal.Inference;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Which rows of a batch belong to which image: those of image i are i·views to (i+1)·views − 1.
 *
 * @param count of all images
 * @param views of an image
 */
public record Rows(long count, int views) {

    /** An output of ONNX Runtime, views of an image fused by their mean: [images·views, columns] → [images, columns]. */
    float[][] fused(OnnxTensor output) {
        long[] shape = output.getInfo().getShape();
        if (shape.length != 2 || shape[0] != count) {
            throw new IllegalStateException("ONNX Runtime gave values of shape " + Arrays.toString(shape)
                    + " instead of " + count + " rows; export the model again");
        }
        return fused(output.getFloatBuffer(), Math.toIntExact(shape[1]));
    }

    /** Views of an image fused by their mean: [images·views, columns] → [images, columns]. */
    public float[][] fused(FloatBuffer values, int columns) {
        float[][] fused = new float[Math.toIntExact(count / views)][columns];
        for (float[] image : fused) {
            mean(values, image);
        }
        return fused;
    }

    /** The answers for several parts of a batch, one after the other. */
    static Inference.Answers together(List<Inference.Answers> parts) {
        return new Inference.Answers(
                parts.stream()
                        .flatMap(part -> Arrays.stream(part.probabilities()))
                        .toArray(float[][]::new),
                parts.stream()
                        .flatMap(part -> Arrays.stream(part.descriptors()))
                        .toArray(float[][]::new));
    }

    /** Takes the next views from the buffer. A single one is copied, as it is. */
    private void mean(FloatBuffer values, float[] to) {
        if (views == 1) {
            values.get(to);
            return;
        }
        double[] sums = new double[to.length];
        for (int view = 0; view < views; view++) {
            for (int c = 0; c < to.length; c++) {
                sums[c] += values.get();
            }
        }
        for (int c = 0; c < to.length; c++) {
            to[c] = (float) (sums[c] / views);
        }
    }
}
