package io.github.gramian.bench;

import static io.github.gramian.tensor.Scalars.optional;
import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Fidelity;
import io.github.gramian.linalg.internal.UpperTriangle;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.HeadConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * The paper's head from feature maps to descriptor, written plainly for LibTorch's autograd: the baseline for the
 * speed, the memory and the gradients of the hand-written layers.
 */
public final class PlainHead implements AutoCloseable {

    private final UpperTriangle triangle;
    private final Tensor weights;
    private final double powerEpsilon;

    /** For matrices Y of the given size. */
    public PlainHead(long size, double powerEpsilon, Placement placement) {
        this.triangle = new UpperTriangle(size, placement.device());
        this.powerEpsilon = powerEpsilon;
        try (Scope scope = Scope.open()) {
            Tensor all = torch.full(new long[] {triangle.length()}, scalar(Math.sqrt(2)), placement.options());
            this.weights = Scope.own(all.masked_fill_(triangle.diagonalMask(), scalar(1.0)));
        }
    }

    /** The same network of hand-written layers: σ a constant as in the paper, everything else exact. */
    public static HeadConfig handWritten(int channels, int outputDim) {
        return HeadConfig.standard(channels, 0, outputDim, 1, Fidelity.EXACT)
                .withAggregation(AggregationConfig.standard(Fidelity.PAPER));
    }

    /** M: [batch, C, N], W: [C, C′] → descriptor [batch, C′(C′+1)/2]. */
    public Tensor descriptor(Tensor M, Tensor W) {
        Tensor K = rbf(M);
        Tensor Y = W.t().matmul(K).matmul(W);
        Tensor V = triangle.gather(Y).mul(weights);
        return normalised(V);
    }

    /** The RBF kernel with σ the mean distance of each image, taken for a constant. */
    private static Tensor rbf(Tensor M) {
        Tensor sq = M.square().sum(2);
        Tensor D = sq.unsqueeze(2)
                .add(sq.unsqueeze(1))
                .sub(M.matmul(M.mT()).mul(scalar(2.0)))
                .clamp_min(scalar(0.0));
        long channels = M.size(1);
        double pairs = Math.max(1.0, (double) channels * (channels - 1));
        Tensor sigma = D.detach()
                .sqrt()
                .sum(new long[] {1, 2}, true, new ScalarTypeOptional())
                .div(scalar(pairs));
        return D.neg().div(sigma.square().mul(scalar(2.0))).exp();
    }

    private Tensor normalised(Tensor V) {
        Tensor powered = V.sign().mul(V.abs().add(scalar(powerEpsilon)).sqrt().sub(scalar(Math.sqrt(powerEpsilon))));
        return powered.div(powered.norm(optional(2.0), new long[] {1}, true));
    }

    @Override
    public void close() {
        triangle.close();
        Scope.disown(weights);
    }
}
