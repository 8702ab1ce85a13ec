package io.github.gramian.model.novelty.internal;

/**
 * The score of references of the first version. A descriptor is {@linkplain Sketch sketched}, centred, projected and scaled to
 * length 1. Its score is the mean distance to its {@value #NEIGHBOURS} nearest prototypes, which are training images.
 */
public final class NearestPrototypes implements NoveltyScore {

    private static final int NEIGHBOURS = 5;

    /** Far more than this program writes. */
    static final int MAX_SIZE = 1 << 16;

    private final float[] mean;
    private final float[] components;
    private final float[] prototypes;
    private final int rank;

    /**
     * @param mean of the sketches: [size]
     * @param components [rank × size] in half precision, row by row
     * @param prototypes projected training images, [prototypes × rank] in half precision, row by row
     */
    public NearestPrototypes(float[] mean, short[] components, short[] prototypes) {
        int size = mean.length;
        if (size == 0 || size > MAX_SIZE || components.length == 0 || components.length % size != 0) {
            throw new IllegalArgumentException("the novelty reference has " + components.length
                    + " values of components for sketches of " + size + " dimensions");
        }
        this.rank = components.length / size;
        if (rank > size || prototypes.length == 0 || prototypes.length % rank != 0) {
            throw new IllegalArgumentException("the novelty reference has " + prototypes.length
                    + " values of prototypes for " + rank + " components");
        }
        this.mean = NoveltyScore.finite(mean.clone());
        this.components = NoveltyScore.finite(Half.values(components));
        this.prototypes = NoveltyScore.finite(Half.values(prototypes));
    }

    @Override
    public int size() {
        return mean.length;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int images() {
        return prototypes.length / rank;
    }

    public float[] mean() {
        return mean.clone();
    }

    /** In half precision, row by row. */
    public short[] components() {
        return Half.bits(components);
    }

    /** In half precision, row by row. */
    public short[] prototypes() {
        return Half.bits(prototypes);
    }

    @Override
    public float score(float[] descriptor) {
        float[] point = projected(Sketch.of(descriptor, mean.length));
        NearestDistances nearest = new NearestDistances(NEIGHBOURS);
        for (int start = 0; start < prototypes.length; start += rank) {
            nearest.add(squareDistance(point, start));
        }
        return nearest.mean();
    }

    private float squareDistance(float[] point, int start) {
        float sum = 0;
        for (int i = 0; i < rank; i++) {
            float difference = point[i] - prototypes[start + i];
            sum += difference * difference;
        }
        return sum;
    }

    private float[] projected(float[] sketch) {
        double[] point = new double[rank];
        for (int row = 0; row < rank; row++) {
            int start = row * sketch.length;
            float sum = 0;
            for (int i = 0; i < sketch.length; i++) {
                sum += components[start + i] * (sketch[i] - mean[i]);
            }
            point[row] = sum;
        }
        return Sketch.unit(point);
    }
}
