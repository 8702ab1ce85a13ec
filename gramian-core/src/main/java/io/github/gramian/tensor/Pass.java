package io.github.gramian.tensor;

import static io.github.gramian.tensor.Scalars.scalar;

import java.util.function.UnaryOperator;
import org.bytedeco.pytorch.Tensor;

/**
 * The result of a forward computation together with its backward pass.
 *
 * <p>For y = f(x), {@link #output} is y, and {@link #backward} takes ∂L/∂y and returns ∂L/∂x. The tensors of the backward
 * pass are held by the pass, not by the object that computed it: one layer may run any number of passes at once, on any number of
 * threads. The tensors live as long as the {@link Scope} around the forward computation.
 *
 * <p>Where x or y is a symmetric matrix, gradients are its symmetric gradients: entry (i, j) counts half of the pair. A pass
 * declares where it relies on that and where it guarantees it, so that a chain makes a gradient symmetric only where it might
 * not be.
 */
public final class Pass {

    private final Tensor output;
    private final UnaryOperator<Tensor> pullback;
    private final boolean wantsSymmetric;
    private final boolean givesSymmetric;

    private Pass(Tensor output, UnaryOperator<Tensor> pullback, boolean wantsSymmetric, boolean givesSymmetric) {
        this.output = output;
        this.pullback = pullback;
        this.wantsSymmetric = wantsSymmetric;
        this.givesSymmetric = givesSymmetric;
    }

    /** A result y with the function that takes ∂L/∂y to ∂L/∂x. */
    public static Pass of(Tensor output, UnaryOperator<Tensor> pullback) {
        return new Pass(output, pullback, false, false);
    }

    /** This pass for a y that is a symmetric matrix, [..., n, n]: the function is only ever given symmetric ∂L/∂y. */
    public Pass wantingSymmetric() {
        return new Pass(output, pullback, true, givesSymmetric);
    }

    /** This pass for an x that is a symmetric matrix: the function always returns a symmetric ∂L/∂x. */
    public Pass givingSymmetric() {
        return new Pass(output, pullback, wantsSymmetric, true);
    }

    /** y = f(x). */
    public Tensor output() {
        return output;
    }

    /** ∂L/∂x for ∂L/∂y, which has the shape of {@link #output}; also adds to the gradients of f's parameters. */
    public Tensor backward(Tensor outputGradient) {
        if (!wantsSymmetric) {
            return pullback.apply(outputGradient);
        }
        try (Tensor symmetric = symmetricPart(outputGradient)) {
            return pullback.apply(symmetric);
        }
    }

    /**
     * This pass followed by another one that starts at its output. The output between the two is freed, and so is the
     * gradient between them in the backward pass; a pass that needs its input or its output later holds its own handle
     * ({@link Scope#share}).
     */
    public Pass then(Pass next) {
        if (!next.output.is_same(output)) {
            output.close();
        }
        UnaryOperator<Tensor> continued = next.givesSymmetric ? pullback : this::backward;
        UnaryOperator<Tensor> whole = gradient -> {
            Tensor between = next.pullback.apply(gradient);
            Tensor result = continued.apply(between);
            if (!between.is_same(gradient) && !between.is_same(result)) {
                between.close();
            }
            return result;
        };
        return new Pass(next.output, whole, next.wantsSymmetric, givesSymmetric);
    }

    private static Tensor symmetricPart(Tensor A) {
        return A.add(A.mT()).mul_(scalar(0.5));
    }
}
