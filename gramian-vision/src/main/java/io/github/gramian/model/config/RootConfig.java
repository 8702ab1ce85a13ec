package io.github.gramian.model.config;

import io.github.gramian.layer.EigenLayer;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.MatrixSquareRoot;
import java.util.Optional;

/** Whether and how the square root of the matrix is taken before it becomes a vector. */
public sealed interface RootConfig {

    /** The layer, if there is one. */
    Optional<Layer> layer();

    /** The matrix as it is. */
    record None() implements RootConfig {
        @Override
        public Optional<Layer> layer() {
            return Optional.empty();
        }
    }

    /**
     * From the eigenvalues, as in MPN-COV.
     *
     * @param floor smallest eigenvalue, in the units of the matrix; above 0, where the root has an infinite slope
     */
    record Exact(double floor) implements RootConfig {

        public Exact {
            if (!(floor > 0 && floor < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException("root.floor must be above 0 but is " + floor + "; try 1e-5");
            }
        }

        @Override
        public Optional<Layer> layer() {
            return Optional.of(EigenLayer.power(0.5, floor));
        }
    }

    /**
     * By Newton–Schulz, as in iSQRT-COV: only matrix products.
     *
     * @param iterations number of iterations; 3 to 5 train well, more are nearer to the exact root
     */
    record Iterated(int iterations) implements RootConfig {

        public Iterated {
            if (iterations < 1 || iterations > 100) {
                throw new IllegalArgumentException("root.iterations must lie in 1..100 but is " + iterations);
            }
        }

        @Override
        public Optional<Layer> layer() {
            return Optional.of(new MatrixSquareRoot(iterations));
        }
    }
}
