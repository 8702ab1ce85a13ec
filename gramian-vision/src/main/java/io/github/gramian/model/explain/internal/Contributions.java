package io.github.gramian.model.explain.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Scope;
import java.util.List;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * How much each position of feature maps contributes to a score s(M) = ⟨b, branch(M)⟩: the exact gradient, integrated on the
 * straight path from a baseline M⁰ to M (Sundararajan et al., ICML 2017),
 *
 * <pre>contribution of n = Σ_c (M_cn − M⁰_cn) ∫₀¹ ∂s/∂M_cn (M⁰ + t(M − M⁰)) dt.</pre>
 *
 * <p>Contributions sum to s(M) − s(M⁰). For the linear kernel K = MMᵀ/N and M⁰ = 0, s is a quadratic form, and the
 * contribution is ½ Σ_c M_cn ∂s/∂M_cn: by Euler's theorem these sum to the score. The gradient at M alone would not do after
 * normalisation: scaling M then leaves the score as it is, so Σ_cn M_cn ∂s/∂M_cn = 0.
 *
 * <p>The integral is a Gauss–Legendre sum of three gradients. It is exact for scores that are polynomials of M up to degree
 * 6, and an approximation for others.
 */
public final class Contributions {

    /** A point of the path with its weight in the integral. */
    private record Node(double at, double weight) {}

    private static final List<Node> NODES = List.of(
            new Node(0.5 - Math.sqrt(0.15), 5.0 / 18),
            new Node(0.5, 8.0 / 18),
            new Node(0.5 + Math.sqrt(0.15), 5.0 / 18));

    private Contributions() {}

    /**
     * The contributions of all positions, [batch, N].
     *
     * @param branch from feature maps to a descriptor; gradients of its parameters are zero afterwards
     * @param maps M: [batch, C, N]
     * @param baseline M⁰, of the same shape
     * @param direction b, the classifier's weights of the score: [1, length of a descriptor]
     */
    public static Tensor of(Layer branch, Tensor maps, Tensor baseline, Tensor direction) {
        try (Scope scope = Scope.open()) {
            Tensor difference = maps.sub(baseline);
            Tensor gradients = torch.zeros_like(maps);
            Tensor rows = direction.expand(maps.size(0), -1).contiguous();
            for (Node node : NODES) {
                try (Scope step = Scope.open()) {
                    Tensor point = baseline.add(difference, scalar(node.at())).contiguous();
                    Pass pass = branch.forward(point, Phase.inference());
                    gradients.add_(pass.backward(rows), scalar(node.weight()));
                }
            }
            branch.parameters().stream().filter(Parameter::trainable).forEach(Parameter::clearGradient);
            return scope.promote(difference.mul_(gradients).sum(1));
        }
    }

    /** The mean position of each image at every position: [batch, C, N]. An image without any structure. */
    public static Tensor meanPosition(Tensor maps) {
        try (Scope scope = Scope.open()) {
            Tensor mean = maps.mean(new long[] {2}, true, new ScalarTypeOptional());
            return scope.promote(mean.expand_as(maps).contiguous());
        }
    }
}
