package io.github.gramian.layer;

import io.github.gramian.manifold.Euclidean;
import io.github.gramian.manifold.Manifold;
import io.github.gramian.tensor.Scope;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * A named tensor of a layer with its gradient and the manifold it lives on. It owns both tensors: they outlive every
 * scope, until {@link #close}.
 *
 * <p>A parameter that is not trainable is a statistic, such as a running mean: saved and restored, never optimized.
 */
public final class Parameter implements AutoCloseable {

    private final String name;
    private final Manifold manifold;
    private final boolean trainable;
    private final Tensor value;
    private @Nullable Tensor gradient;

    private Parameter(String name, Tensor value, Manifold manifold, boolean trainable) {
        this.name = name;
        this.manifold = manifold;
        this.trainable = trainable;
        this.value = Scope.own(value.detach().contiguous());
    }

    /** A trainable parameter on a manifold. */
    public static Parameter of(String name, Tensor value, Manifold manifold) {
        return new Parameter(name, value, manifold, true);
    }

    /** A trainable parameter in plain space. */
    public static Parameter of(String name, Tensor value) {
        return of(name, value, new Euclidean());
    }

    /** A statistic that the layer itself keeps up to date. */
    public static Parameter statistic(String name, Tensor value) {
        return new Parameter(name, value, new Euclidean(), false);
    }

    /** Unique within a network; the name in a saved model. */
    public String name() {
        return name;
    }

    /** Where the value lives. */
    public Manifold manifold() {
        return manifold;
    }

    /** Whether an optimizer may move it. */
    public boolean trainable() {
        return trainable;
    }

    /** The value; always the same tensor, whose numbers change. */
    public Tensor value() {
        return value;
    }

    /** The sum of the gradients since {@link #clearGradient}; always the same tensor, zero at first. */
    public Tensor gradient() {
        if (gradient == null) {
            try (Scope scope = Scope.open()) {
                gradient = Scope.own(torch.zeros_like(value));
            }
        }
        return gradient;
    }

    /** Adds to the gradient. */
    public void accumulate(Tensor more) {
        gradient().add_(more);
    }

    /** Sets the gradient to zero. */
    public void clearGradient() {
        gradient().zero_();
    }

    /** Copies new numbers into the value. */
    public void assign(Tensor newValue) {
        value.copy_(newValue);
    }

    @Override
    public void close() {
        Scope.disown(value);
        if (gradient != null) {
            Scope.disown(gradient);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
