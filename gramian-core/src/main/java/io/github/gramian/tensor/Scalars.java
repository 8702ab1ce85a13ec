package io.github.gramian.tensor;

import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.ScalarOptional;

/** Short names for LibTorch's boxed scalars, so that formulas are readable. */
public final class Scalars {

    private Scalars() {}

    /** A number as LibTorch takes it. */
    public static Scalar scalar(double value) {
        return new Scalar(value);
    }

    /** A whole number as LibTorch takes it; a double times a Long tensor would turn it into floats. */
    public static Scalar scalar(long value) {
        return new Scalar(value);
    }

    /** A number where LibTorch takes none, too. */
    public static ScalarOptional optional(double value) {
        return new ScalarOptional(new Scalar(value));
    }
}
