package io.github.gramian.tensor;

import java.util.function.UnaryOperator;
import org.bytedeco.pytorch.Tensor;

/**
 * The result of a forward computation together with its way back.
 *
 * <p>For y = f(x), {@link #output} is y, and {@link #backward} takes ∂L/∂y and returns ∂L/∂x. What the way back needs is
 * held by the pass, not by the object that computed it: one layer may run any number of passes at once, on any number of
 * threads. The tensors live as long as the {@link Scope} around the forward computation.
 *
 * <p>Where x or y is a symmetric matrix, gradients are its symmetric gradients: entry (i, j) counts half of the pair.
 */
public final class Pass {

    private final Tensor output;
    private final UnaryOperator<Tensor> pullback;

    private Pass(Tensor output, UnaryOperator<Tensor> pullback) {
        this.output = output;
        this.pullback = pullback;
    }

    /** A result y with the function that takes ∂L/∂y to ∂L/∂x. */
    public static Pass of(Tensor output, UnaryOperator<Tensor> pullback) {
        return new Pass(output, pullback);
    }

    /** y = f(x). */
    public Tensor output() {
        return output;
    }

    /** ∂L/∂x for ∂L/∂y, which has the shape of {@link #output}; also adds to the gradients of f's parameters. */
    public Tensor backward(Tensor outputGradient) {
        return pullback.apply(outputGradient);
    }

    /** This pass followed by another one that starts at its output. */
    public Pass then(Pass next) {
        return new Pass(next.output, gradient -> backward(next.backward(gradient)));
    }
}
