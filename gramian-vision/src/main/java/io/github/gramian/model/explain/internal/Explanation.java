package io.github.gramian.model.explain.internal;

import io.github.gramian.eval.Prediction;
import io.github.gramian.image.codec.RgbImage;

/**
 * Where a model looked in one image for one class.
 *
 * @param prediction the answer for the image
 * @param subject the class that the contributions are for, as an index
 * @param contributions [rows][columns] over the region, the upper left first: positive where the image speaks for the class,
 *     negative where it speaks against it
 * @param region the part of the image that the network saw
 * @param picture the pixels of that part, as the network saw them
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not stored
public record Explanation(
        Prediction prediction, int subject, float[][] contributions, Region region, RgbImage picture) {

    /** A rectangle as fractions of an image's width and height, from the upper left corner. */
    public record Region(double left, double top, double width, double height) {}

    /** The name of the class that the contributions are for. */
    public String className() {
        return prediction.classes().get(subject);
    }

    /** The probability of that class. */
    public float probability() {
        return prediction.probability(subject);
    }

    /** The largest contribution; 0 if none is positive. */
    public float largest() {
        float largest = 0;
        for (float[] row : contributions) {
            for (float value : row) {
                largest = Math.max(largest, value);
            }
        }
        return largest;
    }
}
