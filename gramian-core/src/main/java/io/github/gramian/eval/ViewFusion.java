package io.github.gramian.eval;

/** Makes one answer of the answers to several views (five or ten crops) of an image. */
public final class ViewFusion {

    private ViewFusion() {}

    /**
     * p(k) = 1/V Σ_v p_v(k): the mean of the probabilities, which are probabilities again. Sums are taken in double, so
     * that one view comes back unchanged.
     *
     * @param views [V, classes], at least one view, all of one length
     */
    public static float[] mean(float[][] views) {
        if (views.length == 0) {
            throw new IllegalArgumentException("there are no views to fuse; give at least one");
        }
        double[] sums = new double[views[0].length];
        for (int v = 0; v < views.length; v++) {
            if (views[v].length != sums.length) {
                throw new IllegalArgumentException("view " + v + " has " + views[v].length
                        + " probabilities but view 0 has " + sums.length + "; fuse views of one model");
            }
            for (int k = 0; k < sums.length; k++) {
                sums[k] += views[v][k];
            }
        }
        float[] mean = new float[sums.length];
        for (int k = 0; k < mean.length; k++) {
            mean[k] = (float) (sums[k] / views.length);
            if (!Float.isFinite(mean[k])) {
                throw new IllegalArgumentException("the views give class " + k + " the probability " + mean[k]
                        + "; check the model's output for NaN");
            }
        }
        return mean;
    }
}
