package io.github.gramian.similar.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Vectors of length 1 drawn around centres. The centres are given, such as the vectors of real photographs, or drawn with a decaying
 * spectrum.
 */
record VectorMixture(List<float[]> centres, double spread) {

    private static final int CENTRES = 2000;
    private static final double DECAY = 0.5;

    /** Distance of a vector from its centre, as a share of the centre's length. */
    private static final double SPREAD = 0.7;

    /** Around these vectors. */
    static VectorMixture around(List<float[]> vectors) {
        return new VectorMixture(vectors, SPREAD);
    }

    /** Around random centres, whose standard deviation along axis i is 1 / √i. */
    static VectorMixture random(int dimensions, Random random) {
        List<float[]> centres = new ArrayList<>();
        for (int i = 0; i < CENTRES; i++) {
            float[] centre = new float[dimensions];
            for (int d = 0; d < dimensions; d++) {
                centre[d] = (float) (random.nextGaussian() * Math.pow(1.0 + d, -DECAY));
            }
            centres.add(unit(centre));
        }
        return new VectorMixture(centres, SPREAD);
    }

    float[] draw(Random random) {
        float[] centre = centres.get(random.nextInt(centres.size()));
        float[] vector = new float[centre.length];
        double scale = spread / Math.sqrt(centre.length);
        for (int d = 0; d < vector.length; d++) {
            vector[d] = (float) (centre[d] + scale * random.nextGaussian());
        }
        return unit(vector);
    }

    List<float[]> draw(int count, Random random) {
        List<float[]> drawn = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            drawn.add(draw(random));
        }
        return drawn;
    }

    private static float[] unit(float[] vector) {
        double square = 0;
        for (float value : vector) {
            square += value * value;
        }
        for (int i = 0; i < vector.length; i++) {
            vector[i] = (float) (vector[i] / Math.sqrt(square));
        }
        return vector;
    }
}
