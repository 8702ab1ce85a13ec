package io.github.gramian.onnx.quantisation.internal;

/**
 * The values that an activation takes.
 *
 * @param least at most 0
 * @param largest at least 0
 */
record Range(float least, float largest) {

    private static final int STEPS = 255;

    Range {
        if (!(least <= 0 && largest >= 0 && Float.isFinite(least) && Float.isFinite(largest))) {
            throw new IllegalArgumentException("an activation lies in " + least + ".." + largest
                    + ", which cannot be rounded; the images or the weights are damaged");
        }
    }

    /** The range of nothing seen yet. Zero belongs to every range, so that padding is exact. */
    static Range empty() {
        return new Range(0, 0);
    }

    Range with(float smaller, float larger) {
        return new Range(Math.min(least, smaller), Math.max(largest, larger));
    }

    /** Difference between activations that are one integer step apart. */
    float scale() {
        float width = largest - least;
        return width == 0 ? 1 : width / STEPS;
    }

    /** The integer that means zero: 0..255. */
    int zero() {
        return Math.max(0, Math.min(STEPS, Math.round(-least / scale())));
    }
}
