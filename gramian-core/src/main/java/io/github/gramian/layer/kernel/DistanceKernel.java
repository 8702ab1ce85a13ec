package io.github.gramian.layer.kernel;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.ProductPrecision;
import io.github.gramian.layer.internal.Operands;
import io.github.gramian.layer.internal.RunningMean;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.ScalarTypes;
import java.util.List;
import java.util.Optional;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * Kernels of the distance between channels in units of a width σ: Kᵢⱼ = k(Dᵢⱼ/σ²) with D = sq·1ᵀ + 1·sqᵀ − 2MMᵀ (eq.
 * K1K2K3), where sq holds the squared lengths of the rows of M.
 *
 * <p>In float, D suffers from cancellation: its diagonal is set to zero, and what rounding pushes below zero is raised to
 * it.
 *
 * <p>The backward pass, with A = sym(∂L/∂D), is ∂L/∂M = 4(diag(A·1)M − A·M) (eq. backwardmatrix); A holds ∂L/∂K · ∂K/∂D and,
 * where σ is differentiated, the path through σ as well. As K depends only on D/σ², ∂K/∂σ = −(2D/σ)·∂K/∂D.
 */
abstract sealed class DistanceKernel implements Kernel permits RbfKernel, MultiRbfKernel, LaplacianKernel {

    /** σ of an image whose channels all coincide, lest K divide by zero. */
    private static final double SMALLEST_SIGMA = 1e-12;

    /** Distances below this many roundings of a channel's length are noise: σ does not go below them. */
    private static final double ROUNDINGS = 8;

    private final Bandwidth bandwidth;
    private final ProductPrecision products;
    private final @Nullable RunningMean globalSigma;

    DistanceKernel(String name, Bandwidth bandwidth, ProductPrecision products, Placement placement) {
        this.bandwidth = bandwidth;
        this.products = products;
        this.globalSigma = bandwidth instanceof Bandwidth.Global global
                ? new RunningMean(name + ".sigma", global.momentum(), placement, 1)
                : null;
    }

    /** K of squared distances; overwrites D if it is not needed again. */
    abstract Tensor value(Tensor D, Tensor sigma, boolean overwrite);

    /** ∂L/∂K ∘ ∂K/∂D: a new tensor. */
    abstract Tensor slope(Tensor dK, Tensor K, @Nullable Tensor D, Tensor sigma);

    /** Whether the slope needs D. */
    abstract boolean slopeNeedsDistances();

    @Override
    public Pass gram(Tensor M, Phase phase) {
        Tensor sq = squaredLengths(M);
        Tensor D = squaredDistances(M, sq);
        boolean throughSigma =
                bandwidth instanceof Bandwidth.PerImage perImage && perImage.gradient() == Bandwidth.Gradient.EXACT;
        boolean keepDistances = throughSigma || slopeNeedsDistances();
        Tensor sigma = sigma(sq, D, phase);
        Tensor K = value(D, sigma, !keepDistances);
        Tensor maps = Scope.share(M);
        Tensor kernel = Scope.share(K);
        Tensor distances = keepDistances ? D : null;
        Pass pass = Pass.of(K, dK -> {
            try (Tensor A = slope(dK, kernel, distances, sigma)) {
                if (throughSigma) {
                    addPathThroughSigma(A, sigmaGradient(A, D, sigma), D, sigma);
                }
                return backToMaps(A, maps);
            }
        });
        return pass.wantingSymmetric();
    }

    /** ∂L/∂σ = −(2/σ) Σ A ∘ D. */
    private static Tensor sigmaGradient(Tensor A, Tensor D, Tensor sigma) {
        try (Tensor share = A.mul(D)) {
            return sum(share).div_(sigma).mul_(scalar(-2.0));
        }
    }

    /** D: [batch, C, C], symmetric, not negative, zero on the diagonal. */
    private static Tensor squaredDistances(Tensor M, Tensor sq) {
        Tensor D = sq.add(sq.mT()).baddbmm_(M, M.mT(), scalar(1.0), scalar(-2.0));
        D.diagonal(0, 1, 2).zero_();
        return D.clamp_min_(scalar(0.0));
    }

    /** sq: [batch, C, 1]. */
    private static Tensor squaredLengths(Tensor M) {
        try (Tensor squares = M.square()) {
            return squares.sum(new long[] {2}, true, any());
        }
    }

    /** 4(diag(A·1) − A)M for symmetric A. */
    private Tensor backToMaps(Tensor A, Tensor M) {
        Tensor rows = M.mul(A.sum(new long[] {2}, true, any()));
        if (products == ProductPrecision.EXACT) {
            return rows.baddbmm_(A, M, scalar(4.0), scalar(-4.0));
        }
        try (Tensor left = Operands.operand(products, A);
                Tensor right = Operands.operand(products, M);
                Tensor AM = torch.bmm(left, right)) {
            return rows.sub_(AM).mul_(scalar(4.0));
        }
    }

    @Override
    public Optional<Tensor> widths(Tensor M) {
        Tensor sq = squaredLengths(M);
        return Optional.of(sigma(sq, squaredDistances(M, sq), Phase.inference()).flatten());
    }

    /** σ of each image: [batch, 1, 1], or one for all: [1, 1, 1]. */
    private Tensor sigma(Tensor sq, Tensor D, Phase phase) {
        if (bandwidth instanceof Bandwidth.Fixed fixed) {
            return torch.full(
                    new long[] {1, 1, 1}, scalar(fixed.sigma()), Placement.of(D).options());
        }
        Tensor perImage = torch.maximum(meanDistance(D), smallestSigma(sq));
        if (globalSigma == null) {
            return perImage;
        }
        return globalSigma.observe(perImage.mean().reshape(1), phase).reshape(1, 1, 1);
    }

    /** The mean over pairs of different channels; 0 for a single channel. */
    private static Tensor meanDistance(Tensor D) {
        try (Tensor distances = D.sqrt()) {
            return sum(distances).mul_(scalar(1.0 / pairs(D)));
        }
    }

    private static double pairs(Tensor D) {
        return Math.max(1.0, (double) D.size(1) * (D.size(1) - 1));
    }

    private static Tensor smallestSigma(Tensor sq) {
        double rounding = ROUNDINGS * Math.sqrt(ScalarTypes.precision(sq).epsilon());
        Tensor meanSquaredLength = sum(sq).mul_(scalar(1.0 / sq.size(1)));
        return meanSquaredLength.sqrt_().mul_(scalar(rounding)).clamp_min_(scalar(SMALLEST_SIGMA));
    }

    /** σ = mean √D contributes ∂L/∂σ / (pairs · 2√D) to ∂L/∂D; nothing where σ is at its lower bound. */
    private static void addPathThroughSigma(Tensor A, Tensor dSigma, Tensor D, Tensor sigma) {
        Tensor onFloor = meanDistance(D).lt(sigma);
        Tensor share = dSigma.masked_fill(onFloor, scalar(0.0)).mul_(scalar(0.5 / pairs(D)));
        try (Tensor inverse = inverseDistances(D)) {
            A.addcmul_(inverse, share);
        }
    }

    /** 1/√D, and 0 where D = 0: the subgradient that does not push coinciding channels apart. */
    static Tensor inverseDistances(Tensor D) {
        return D.rsqrt().masked_fill_(D.eq(scalar(0.0)), scalar(0.0));
    }

    /** The sum over the matrix of each image: [batch, 1, 1]. */
    private static Tensor sum(Tensor matrices) {
        return matrices.sum(new long[] {1, 2}, true, any());
    }

    private static ScalarTypeOptional any() {
        return new ScalarTypeOptional();
    }

    @Override
    public List<Parameter> parameters() {
        return globalSigma == null ? List.of() : globalSigma.parameters();
    }
}
