package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.linalg.internal.UpperTriangle;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * V = the upper triangle of Y, its off-diagonal entries times √2 (eq. vectorization), so that ‖V‖ = ‖Y‖. Y: [batch, n,
 * n]; V: [batch, n(n+1)/2] in the order of {@link UpperTriangle}.
 *
 * <p>The backward pass puts ∂L/∂Vᵢᵢ on the diagonal and ∂L/∂Vᵢⱼ/√2 on both (i, j) and (j, i). The paper's eq.
 * backvectorization puts √2·∂L/∂Vᵢⱼ on both and thereby counts every off-diagonal entry twice; {@link Fidelity#PAPER}
 * does the same.
 */
public final class Vectorisation implements Layer {

    private final UpperTriangle triangle;
    private final Tensor forwardWeights;
    private final Tensor backwardWeights;

    /** For matrices n×n. */
    public Vectorisation(long n, Fidelity fidelity, Placement placement) {
        this.triangle = new UpperTriangle(n, placement.device());
        double offDiagonal = fidelity == Fidelity.EXACT ? Math.sqrt(0.5) : Math.sqrt(2);
        this.forwardWeights = weights(Math.sqrt(2), placement);
        this.backwardWeights = weights(offDiagonal, placement);
    }

    private Tensor weights(double offDiagonal, Placement placement) {
        try (Scope scope = Scope.open()) {
            Tensor all = torch.full(new long[] {triangle.length()}, scalar(offDiagonal), placement.options());
            return Scope.own(all.masked_fill_(triangle.diagonalMask(), scalar(1.0)));
        }
    }

    /** n(n+1)/2. */
    public long length() {
        return triangle.length();
    }

    @Override
    public Pass forward(Tensor Y, Phase phase) {
        Tensor V = triangle.gather(Y).mul_(forwardWeights);
        Pass pass = Pass.of(V, dV -> {
            try (Tensor weighted = dV.mul(backwardWeights)) {
                return triangle.scatter(weighted);
            }
        });
        return pass.givingSymmetric();
    }

    @Override
    public boolean isPerSample() {
        return true;
    }

    @Override
    public void close() {
        triangle.close();
        Scope.disown(forwardWeights);
        Scope.disown(backwardWeights);
    }
}
