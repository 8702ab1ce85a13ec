package io.github.gramian.model.internal;

import io.github.gramian.model.Predictor;
import java.util.List;

/**
 * An image as one model's backbone takes it: the pixels of all its views, for each of the network's scales. Made by {@link
 * Predictor#prepare}; it takes scales · views · 12 · size² bytes, however large the image was.
 */
public final class PreparedImage {

    private final List<float[]> scales;

    public PreparedImage(List<float[]> scales) {
        this.scales = scales;
    }

    public float[] scale(int place) {
        return scales.get(place);
    }
}
