package io.github.gramian.linalg.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * The square root of an SPD matrix by matrix products only, which GPUs compute fast. A, A^½: [..., n, n].
 *
 * <p>With t = tr A, start at Y = A/t, Z = I and repeat T = 3I − ZY, Y ← ½YT, Z ← ½TZ; then Y → (A/t)^½ quadratically, and
 * √t·Y is returned. The backward pass differentiates exactly the iterations that were run, so that it is exact for any
 * number of them. Five suffice for training; eigenvalues far below t converge last.
 */
public record NewtonSchulz(int iterations) {

    /** Keeps a matrix of zeros from a division by its trace of zero. */
    private static final double SMALLEST_TRACE = 1e-30;

    public NewtonSchulz {
        if (iterations < 1 || iterations > 100) {
            throw new IllegalArgumentException("Newton–Schulz iterations must lie in 1..100 but are " + iterations);
        }
    }

    /** A^½ and its backward pass. */
    public Pass squareRoot(Tensor A) {
        Tensor identity = torch.eye(A.size(-1), Placement.of(A).options());
        Tensor trace = trace(A).clamp_min_(scalar(SMALLEST_TRACE));
        Tensor[] Y = new Tensor[iterations + 1];
        Tensor[] Z = new Tensor[iterations + 1];
        Y[0] = A.div(trace);
        Z[0] = identity.expand_as(A);
        for (int k = 0; k < iterations; k++) {
            Tensor T = residual(identity, Y[k], Z[k]);
            Y[k + 1] = Y[k].matmul(T).mul_(scalar(0.5));
            Z[k + 1] = T.matmul(Z[k]).mul_(scalar(0.5));
        }
        Tensor root = trace.sqrt();
        Tensor last = Y[iterations];
        Pass pass = Pass.of(last.mul(root), dRoot -> {
            Tensor dA = backThroughIterations(identity, Y, Z, dRoot.mul(root));
            // Y₀ = A/t and the final √t both depend on t = tr A.
            Tensor throughStart = inner(dA, Y[0]).neg_().div_(trace);
            Tensor throughEnd = inner(dRoot, last).mul_(scalar(0.5)).div_(root);
            return Symmetric.part(dA.div_(trace)).add_(identity.mul(throughStart.add_(throughEnd)));
        });
        return pass.givingSymmetric();
    }

    private Tensor backThroughIterations(Tensor identity, Tensor[] Y, Tensor[] Z, Tensor dLast) {
        Tensor dY = dLast;
        Tensor dZ = torch.zeros_like(dLast);
        for (int k = iterations - 1; k >= 0; k--) {
            Tensor T = residual(identity, Y[k], Z[k]);
            Tensor dT = Y[k].mT().matmul(dY).add_(dZ.matmul(Z[k].mT())).mul_(scalar(0.5));
            Tensor nextDY = dY.matmul(T.mT()).mul_(scalar(0.5)).sub_(Z[k].mT().matmul(dT));
            dZ = T.mT().matmul(dZ).mul_(scalar(0.5)).sub_(dT.matmul(Y[k].mT()));
            dY = nextDY;
        }
        return dY;
    }

    /** T = 3I − ZY. */
    private static Tensor residual(Tensor identity, Tensor Y, Tensor Z) {
        return identity.mul(scalar(3.0)).sub(Z.matmul(Y));
    }

    private static Tensor trace(Tensor A) {
        return A.diagonal(0, -2, -1).sum(-1).unsqueeze(-1).unsqueeze(-1);
    }

    /** ⟨A, B⟩ of each pair of matrices: [..., 1, 1]. */
    private static Tensor inner(Tensor A, Tensor B) {
        return A.mul(B).sum(new long[] {-2, -1}, true, new ScalarTypeOptional());
    }
}
