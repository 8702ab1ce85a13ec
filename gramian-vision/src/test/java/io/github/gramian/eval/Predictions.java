package io.github.gramian.eval;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Predictions for tests. */
public final class Predictions {

    private Predictions() {}

    static Prediction of(String id, int truth, double... probabilities) {
        float[] floats = new float[probabilities.length];
        for (int k = 0; k < floats.length; k++) {
            floats[k] = (float) probabilities[k];
        }
        return Prediction.of(id, names(floats.length), floats).withTruth(truth);
    }

    /** All probability on one class. */
    public static Prediction sure(String id, int truth, int predicted, int classes) {
        double[] probabilities = new double[classes];
        probabilities[predicted] = 1;
        return of(id, truth, probabilities);
    }

    /** Random probabilities; the truth is drawn from them, so that the "model" is calibrated by construction. */
    static List<Prediction> calibrated(long seed, int count, int classes) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Prediction> predictions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            double[] p = new double[classes];
            for (int k = 0; k < classes; k++) {
                p[k] = Math.exp(6 * random.nextDouble());
            }
            double sum = Arrays.stream(p).sum();
            double left = random.nextDouble() * sum;
            int truth = 0;
            while (truth < classes - 1 && left > p[truth]) {
                left -= p[truth];
                truth++;
            }
            predictions.add(
                    of("image" + i, truth, Arrays.stream(p).map(x -> x / sum).toArray()));
        }
        return predictions;
    }

    static List<String> names(int classes) {
        List<String> names = new ArrayList<>();
        for (int k = 0; k < classes; k++) {
            names.add("class" + k);
        }
        return names;
    }

    /** cat → cat, cat, dog; dog → dog, owl; owl → owl. */
    public static List<Prediction> animals() {
        return List.of(
                sure("1", 0, 0, 3),
                sure("2", 0, 0, 3),
                sure("3", 0, 1, 3),
                sure("4", 1, 1, 3),
                sure("5", 1, 2, 3),
                sure("6", 2, 2, 3));
    }
}
