package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.linalg.internal.GaussianMixture;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/** Codebook layers once more, every difference xᵢ − cₖ written out: [batch, K, C, N]. */
final class CodebookReferences {

    private CodebookReferences() {}

    private static Tensor differences(Tensor M, Tensor centres) {
        return M.unsqueeze(1).sub(centres.unsqueeze(0).unsqueeze(3));
    }

    /** [K] or [K, C], shaped like differences. */
    private static Tensor perWord(Tensor words) {
        return words.unsqueeze(0).unsqueeze(-1);
    }

    static Tensor fisher(Tensor M, GaussianMixture mixture) {
        Tensor standard =
                differences(M, mixture.means()).div(perWord(mixture.variances().sqrt()));
        Tensor logarithms = standard.square()
                .add(perWord(mixture.variances().log()))
                .sum(2)
                .mul(scalar(-0.5))
                .add(perWord(mixture.weights().log()));
        Tensor posteriors = logarithms.softmax(1).unsqueeze(2);
        Tensor perWeight = perWord(mixture.weights().rsqrt()).div(scalar((double) M.size(2)));
        Tensor g = posteriors.mul(standard).sum(3).mul(perWeight);
        Tensor h = posteriors
                .mul(standard.square().sub(scalar(1.0)))
                .sum(3)
                .mul(perWeight)
                .div(scalar(Math.sqrt(2)));
        return torch.cat(new TensorVector(g.flatten(1, 2), h.flatten(1, 2)), 1);
    }

    static Tensor vlad(Tensor M, Tensor centres, boolean unitLength) {
        Tensor differences = differences(M, centres);
        Tensor nearest = differences.square().sum(2).argmin(new LongOptional(1), false);
        Tensor mask = torch.one_hot(nearest, centres.size(0)).permute(0, 2, 1).unsqueeze(2);
        Tensor sums = differences.mul(mask).sum(3);
        if (!unitLength) {
            return sums.flatten(1, 2);
        }
        // The tiny number keeps autograd from dividing zero by zero at a centre that has no vectors.
        Tensor length = sums.square().sum(2).add(scalar(1e-300)).sqrt().unsqueeze(2);
        return sums.div(length).flatten(1, 2);
    }

    static Tensor deepTen(Tensor M, Tensor codewords, Tensor logSmoothing) {
        Tensor differences = differences(M, codewords);
        Tensor shares = differences
                .square()
                .sum(2)
                .mul(perWord(logSmoothing.exp()))
                .neg()
                .softmax(1);
        return shares.unsqueeze(2).mul(differences).sum(3).flatten(1, 2);
    }

    /** Each decoder by solving its normal equations, one encoder after the other. */
    static Tensor randomEncoder(Tensor M, Tensor encoders, double ridge) {
        Tensor identity = torch.eye(
                encoders.size(1), io.github.gramian.tensor.Placement.of(M).options());
        Tensor sum = torch.zeros_like(
                M.matmul(torch.ones_like(M).mT()).narrow(2, 0, 1).expand(-1, -1, encoders.size(1)));
        for (long e = 0; e < encoders.size(0); e++) {
            Tensor H = encoders.select(0, e).matmul(M).sigmoid();
            Tensor gram = H.matmul(H.mT()).add(identity.mul(scalar(ridge)));
            sum = sum.add(M.matmul(H.mT()).matmul(torch.linalg_inv(gram)));
        }
        return sum.flatten(1, 2);
    }
}
