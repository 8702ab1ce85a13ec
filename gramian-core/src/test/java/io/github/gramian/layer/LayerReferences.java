package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.optional;
import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.linalg.internal.GaussianMixture;
import io.github.gramian.linalg.internal.UpperTriangle;
import io.github.gramian.tensor.Placement;
import java.util.List;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/** The layers once more, as plainly as the formulas stand in the paper, for LibTorch to differentiate. */
public final class LayerReferences {

    private LayerReferences() {}

    public static Tensor convolution(Tensor X, Tensor A, Tensor b) {
        return A.matmul(X).add(b.unsqueeze(-1));
    }

    /** D with ones on the diagonal, so that autograd can take its root; the mask takes them out again. */
    private static Tensor safeDistances(Tensor D) {
        return D.masked_fill(eye(D), scalar(1.0)).sqrt().masked_fill(eye(D), scalar(0.0));
    }

    private static Tensor eye(Tensor D) {
        return torch.eye(D.size(1), Placement.of(D).options()).gt(scalar(0.5));
    }

    public static Tensor squaredDistances(Tensor M) {
        Tensor difference = M.unsqueeze(2).sub(M.unsqueeze(1));
        return difference.square().sum(3);
    }

    /** The mean distance between channels; 1 for a single channel, where it does not matter. */
    private static Tensor sigma(Tensor D, boolean differentiated) {
        long channels = D.size(1);
        if (channels == 1) {
            return torch.ones_like(D);
        }
        Tensor mean = safeDistances(D)
                .sum(new long[] {1, 2}, true, new ScalarTypeOptional())
                .div(scalar((double) channels * (channels - 1)));
        return differentiated ? mean : mean.detach();
    }

    public static Tensor rbf(Tensor M, boolean throughSigma) {
        Tensor D = squaredDistances(M);
        return rbf(D, sigma(D, throughSigma));
    }

    public static Tensor rbf(Tensor D, Tensor sigma) {
        return D.neg().div(sigma.square().mul(scalar(2.0))).exp();
    }

    /** Widths of the kernel of several, as multiples of σ. */
    static final List<Double> MULTIPLES = List.of(0.5, 1.0, 2.0);

    public static Tensor multiRbf(Tensor M, boolean throughSigma) {
        Tensor D = squaredDistances(M);
        Tensor sigma = sigma(D, throughSigma);
        Tensor sum = torch.zeros_like(D);
        for (double multiple : MULTIPLES) {
            sum = sum.add(rbf(D, sigma.mul(scalar(multiple))));
        }
        return sum.div(scalar((double) MULTIPLES.size()));
    }

    public static Tensor laplacian(Tensor M, boolean throughSigma) {
        Tensor D = squaredDistances(M);
        return safeDistances(D).neg().div(sigma(D, throughSigma)).exp();
    }

    public static Tensor linear(Tensor M) {
        return M.matmul(M.mT()).div(scalar((double) M.size(2)));
    }

    public static Tensor covariance(Tensor M) {
        Tensor centred = centredMaps(M);
        return centred.matmul(centred.mT()).div(scalar(Math.max(1.0, M.size(2) - 1.0)));
    }

    public static Tensor centredMaps(Tensor M) {
        return M.sub(M.mean(new long[] {2}, true, new ScalarTypeOptional()));
    }

    public static Tensor unitMaps(Tensor M) {
        return M.div(
                M.square().sum(new long[] {2}, true, new ScalarTypeOptional()).sqrt());
    }

    public static Tensor polynomial(Tensor M, int degree, double offset) {
        return linear(M).add(scalar(offset)).pow(scalar((double) degree));
    }

    public static Tensor transformation(Tensor K, Tensor W) {
        return W.t().matmul(K).matmul(W);
    }

    public static Tensor eigen(Tensor Y, double floor, java.util.function.UnaryOperator<Tensor> function) {
        T_TensorTensor_T parts = torch.linalg_eigh(Y.add(Y.mT()).mul(scalar(0.5)));
        Tensor values = function.apply(parts.get0().clamp_min(scalar(floor)));
        Tensor vectors = parts.get1();
        return vectors.mul(values.unsqueeze(-2)).matmul(vectors.mT());
    }

    public static Tensor newtonSchulz(Tensor A, int iterations) {
        Tensor identity = torch.eye(A.size(1), Placement.of(A).options()).expand_as(A);
        Tensor trace = A.diagonal(0, 1, 2).sum(-1).reshape(-1, 1, 1);
        Tensor Y = A.div(trace);
        Tensor Z = identity;
        for (int k = 0; k < iterations; k++) {
            Tensor T = identity.mul(scalar(3.0)).sub(Z.matmul(Y));
            Y = Y.matmul(T).mul(scalar(0.5));
            Z = T.matmul(Z).mul(scalar(0.5));
        }
        return Y.mul(trace.sqrt());
    }

    public static Tensor vectorisation(Tensor Y) {
        try (UpperTriangle triangle = new UpperTriangle(Y.size(1), "cpu")) {
            Tensor weights = torch.full(
                            new long[] {triangle.length()},
                            scalar(Math.sqrt(2)),
                            Placement.of(Y).options())
                    .masked_fill(triangle.diagonalMask(), scalar(1.0));
            return triangle.gather(Y).mul(weights);
        }
    }

    public static Tensor power(Tensor v, double epsilon) {
        return v.sign().mul(v.abs().add(scalar(epsilon)).sqrt().sub(scalar(Math.sqrt(epsilon))));
    }

    public static Tensor unitLength(Tensor v) {
        return v.div(v.norm(optional(2.0), new long[] {1}, true));
    }

    public static Tensor fullyConnected(Tensor v, Tensor B, Tensor c) {
        return v.matmul(B.t()).add(c);
    }

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
