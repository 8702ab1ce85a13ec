package io.github.gramian.model.config;

import io.github.gramian.layer.EigenLayer;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Relu;
import io.github.gramian.manifold.Stiefel;
import java.util.Optional;

/**
 * One SPD transformation, Y = WᵀKW with orthonormal columns of W, and what follows it. K: [n, n]; Y: [outputDim, outputDim].
 *
 * @param outputDim number of columns of W
 * @param manifold metric and retraction for W
 * @param activation activation after the transformation
 */
public record TransformConfig(int outputDim, Stiefel manifold, Activation activation) {

    public TransformConfig {
        if (outputDim < 1) {
            throw new IllegalArgumentException("transform.outputDim must be at least 1 but is " + outputDim);
        }
    }

    /** The paper's transformation, nothing after it. */
    public static TransformConfig to(int outputDim) {
        return new TransformConfig(outputDim, Stiefel.paper(), new Activation.None());
    }

    /** The activation after a transformation. */
    public sealed interface Activation {

        /** The layer, if there is one. */
        Optional<Layer> layer();

        /** Nothing. */
        record None() implements Activation {
            @Override
            public Optional<Layer> layer() {
                return Optional.empty();
            }
        }

        /** Element-wise max(Y, 0), the paper's; may leave the SPD cone, see {@link Relu}. */
        record ElementwiseRelu() implements Activation {
            @Override
            public Optional<Layer> layer() {
                return Optional.of(new Relu());
            }
        }

        /**
         * Eigenvalues raised to at least ε, so that the matrix remains SPD.
         *
         * @param epsilon the smallest eigenvalue
         */
        record EigenvalueRectifier(double epsilon) implements Activation {
            @Override
            public Optional<Layer> layer() {
                return Optional.of(EigenLayer.rectifier(epsilon));
            }
        }
    }
}
