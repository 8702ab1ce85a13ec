package io.github.gramian.model;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.check.GradientCheck;
import io.github.gramian.check.GradientCheck.Domain;
import io.github.gramian.layer.EigenLayer;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.LayerReferences;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.PowerNormalisation;
import io.github.gramian.layer.Relu;
import io.github.gramian.layer.SoftmaxCrossEntropy;
import io.github.gramian.layer.SpdTransformation;
import io.github.gramian.layer.Vectorisation;
import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.layer.kernel.Bandwidth.Gradient;
import io.github.gramian.layer.kernel.InnerProductKernel;
import io.github.gramian.layer.kernel.KernelAggregation;
import io.github.gramian.layer.kernel.RbfKernel;
import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.manifold.Metric;
import io.github.gramian.manifold.Retraction;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.model.config.HeadConfig;
import io.github.gramian.optim.Optimizer;
import io.github.gramian.optim.ParameterGroup;
import io.github.gramian.optim.RiemannianSgd;
import io.github.gramian.tensor.Doubles;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the paper is wrong or silent, shown by computation; docs/paper.md refers to each by name. */
class PaperErrataTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    private static KernelAggregation rbf(Gradient gradient) {
        return KernelAggregation.of(new RbfKernel("kernel", new Bandwidth.PerImage(gradient), DOUBLE));
    }

    private static double smallestEigenvalue(Tensor matrices) {
        return Symmetric.eigen(matrices).values().min().item_double();
    }

    private static double relative(Tensor actual, Tensor expected) {
        return actual.sub(expected).norm().item_double() / expected.norm().item_double();
    }

    private static double cosine(Tensor a, Tensor b) {
        return a.mul(b).sum().item_double() / (a.norm().item_double() * b.norm().item_double());
    }

    // 3. The element-wise kernel gradient is a factor 4 too small; the matrix form needs a symmetric ∂L/∂K.

    @Test
    void note_03_the_element_wise_kernel_gradient_is_a_factor_4_too_small() {
        Tensor M = new Seed(1).normal(DOUBLE, 1, 5, 9);
        Tensor dK = Symmetric.part(new Seed(2).normal(DOUBLE, 1, 5, 5));
        double sigma = 1.7;
        Layer kernel = KernelAggregation.of(new RbfKernel("kernel", new Bandwidth.Fixed(sigma), DOUBLE));
        Pass pass = kernel.forward(M, Phase.inference());
        // Eq. gradienttofifj, summed over the C channels: Σⱼ ∂L/∂Kᵢⱼ Kᵢⱼ/(−2σ²) (fᵢ − fⱼ).
        Tensor S = dK.mul(pass.output()).div(scalar(-2 * sigma * sigma));
        Tensor difference = M.unsqueeze(2).sub(M.unsqueeze(1));
        Tensor elementWise = S.unsqueeze(3).mul(difference).sum(2);
        assertThat(relative(pass.backward(dK), elementWise.mul(scalar(4.0)))).isLessThan(1e-12);
        assertThat(GradientCheck.on(Domain.ANY).worstError(kernel, M, new Seed(3)))
                .isLessThan(1e-9);
    }

    @Test
    void note_03_without_symmetrising_the_matrix_form_points_elsewhere() {
        Tensor M = new Seed(1).normal(DOUBLE, 1, 12, 20);
        Tensor upperOnly = new Seed(2).normal(DOUBLE, 1, 12, 12).triu();
        Pass pass = KernelAggregation.of(new RbfKernel("kernel", new Bandwidth.Fixed(4), DOUBLE))
                .forward(M, Phase.inference());
        Tensor right = pass.backward(upperOnly);
        Tensor S = upperOnly.mul(pass.output()).div(scalar(-2 * 16.0));
        Tensor unsymmetrised = M.mul(S.sum(2).unsqueeze(2)).sub(S.matmul(M)).mul(scalar(4.0));
        assertThat(cosine(right, unsymmetrised)).isLessThan(0.9);
        assertThat(relative(right, pass.backward(Symmetric.part(upperOnly)))).isLessThan(1e-12);
    }

    @Test
    void an_incorrect_factor_in_a_gradient_is_noticed() {
        Tensor M = new Seed(1).normal(DOUBLE, 2, 5, 9);
        Layer right = rbf(Gradient.EXACT);
        Layer wrong = (input, phase) -> {
            Pass pass = right.forward(input, phase);
            return Pass.of(pass.output(), gradient -> pass.backward(gradient).mul(scalar(1.001)));
        };
        assertThat(GradientCheck.on(Domain.ANY).worstError(right, M, new Seed(2)))
                .isLessThan(1e-7);
        assertThat(GradientCheck.on(Domain.ANY).worstError(wrong, M, new Seed(2)))
                .isGreaterThan(5e-4);
    }

    // 4. σ depends on the data.

    @Test
    void note_04_with_sigma_differentiated_the_gradient_is_invariant_to_scale() {
        Tensor M = new Seed(1).normal(DOUBLE, 3, 7, 11);
        Tensor dK = new Seed(2).normal(DOUBLE, 3, 7, 7);
        Tensor exact = rbf(Gradient.EXACT).forward(M, Phase.inference()).backward(dK);
        Tensor constant = rbf(Gradient.CONSTANT).forward(M, Phase.inference()).backward(dK);
        assertThat(exact.mul(M).sum().item_double()).isCloseTo(0, within(1e-12));
        assertThat(Math.abs(constant.mul(M).sum().item_double())).isGreaterThan(1e-2);
        Tensor K = rbf(Gradient.EXACT).apply(M);
        assertThat(relative(rbf(Gradient.EXACT).apply(M.mul(scalar(37.0))), K)).isLessThan(1e-12);
    }

    @Test
    void note_04_sigma_taken_for_a_constant_is_the_gradient_at_fixed_sigma() {
        Tensor M = new Seed(3).normal(DOUBLE, 1, 6, 8);
        double sigma = LayerReferences.squaredDistances(M).sqrt().sum().item_double() / 30;
        Tensor dK = new Seed(4).normal(DOUBLE, 1, 6, 6);
        Layer fixed = KernelAggregation.of(new RbfKernel("kernel", new Bandwidth.Fixed(sigma), DOUBLE));
        Tensor expected = fixed.forward(M, Phase.inference()).backward(dK);
        assertThat(relative(rbf(Gradient.CONSTANT).forward(M, Phase.inference()).backward(dK), expected))
                .isLessThan(1e-12);
    }

    @Test
    void note_04_a_global_sigma_is_the_running_mean_of_those_of_the_images() {
        Tensor M = new Seed(5).normal(DOUBLE, 4, 6, 8);
        RbfKernel kernel = new RbfKernel("kernel", new Bandwidth.Global(0.5), DOUBLE);
        Layer layer = KernelAggregation.of(kernel);
        Tensor sigma = kernel.parameters().get(0).value();
        layer.forward(M, Phase.training(new Seed(1)));
        double first = sigma.item_double();
        assertThat(first)
                .isCloseTo(LayerReferences.squaredDistances(M).sqrt().sum().item_double() / (4 * 30), within(1e-12));
        layer.forward(M.mul(scalar(3.0)), Phase.training(new Seed(2)));
        assertThat(sigma.item_double()).isCloseTo(2 * first, within(1e-12));
        Tensor expected = LayerReferences.rbf(LayerReferences.squaredDistances(M), sigma.clone());
        assertThat(relative(layer.apply(M), expected)).isLessThan(1e-12);
        assertThat(sigma.item_double()).as("inference leaves it alone").isCloseTo(2 * first, within(1e-12));
    }

    @Test
    void note_04_a_blank_image_has_a_sigma_on_its_floor() {
        Tensor blank = torch.zeros(new long[] {1, 4, 9}, DOUBLE.options());
        assertThat(rbf(Gradient.EXACT)
                        .apply(blank)
                        .equal(torch.ones_like(rbf(Gradient.EXACT).apply(blank))))
                .isTrue();
    }

    // 5. K loses rank when channels coincide.

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void note_05_dead_channels_take_rank_from_the_kernel_and_jitter_gives_it_back(int dead) {
        int channels = 12;
        Tensor M = new Seed(1).normal(DOUBLE, 1, channels, 30).abs_();
        M.narrow(1, 0, dead).zero_();
        Kernels kernels = new Kernels(M);
        assertThat(kernels.rank(0)).isEqualTo(channels - dead + 1);
        assertThat(kernels.rank(1e-3)).isEqualTo(channels);

        // K + εI commutes with W: Wᵀ(K + εI)W = WᵀKW + εI.
        Tensor W = Stiefel.paper().random(DOUBLE, new Seed(2), channels, 4);
        Tensor before = W.t().matmul(kernels.matrix(1e-3)).matmul(W);
        Tensor after = W.t().matmul(kernels.matrix(0)).matmul(W).add(torch.eye(4, DOUBLE.options()), scalar(1e-3));
        assertThat(relative(before, after)).isLessThan(1e-12);
    }

    private record Kernels(Tensor M) {
        Tensor matrix(double jitter) {
            RbfKernel kernel = new RbfKernel("kernel", new Bandwidth.PerImage(Gradient.CONSTANT), DOUBLE);
            return new KernelAggregation(kernel, false, jitter).apply(M).get(0);
        }

        long rank(double jitter) {
            return Symmetric.eigen(matrix(jitter))
                    .values()
                    .gt(scalar(1e-10))
                    .sum()
                    .item_long();
        }
    }

    @Test
    void note_05_the_rank_of_a_covariance_is_limited_by_positions_and_that_of_the_kernel_is_not() {
        Tensor M = new Seed(3).normal(DOUBLE, 1, 20, 6);
        Tensor covariance =
                KernelAggregation.of(new InnerProductKernel.Covariance()).apply(M);
        assertThat(Symmetric.eigen(covariance).values().gt(scalar(1e-10)).sum().item_long())
                .isEqualTo(5);
        assertThat(smallestEigenvalue(rbf(Gradient.CONSTANT).apply(M))).isPositive();
    }

    // 6. Cancellation in float.

    @Test
    void note_06_distances_of_large_activations_cancel_in_float_and_ours_have_a_zero_diagonal() {
        Tensor M = new Seed(1).normal(FLOAT, 1, 64, 196).add_(scalar(100.0));
        Tensor sq = M.square().sum(2);
        Tensor naive = sq.unsqueeze(2).add(sq.unsqueeze(1)).sub(M.matmul(M.mT()).mul(scalar(2.0)));
        assertThat(naive.diagonal(0, 1, 2).abs().max().item_double()).isGreaterThan(1e-3);
        RbfKernel kernel = new RbfKernel("kernel", new Bandwidth.PerImage(Gradient.CONSTANT), FLOAT);
        Tensor K = KernelAggregation.of(kernel).apply(M);
        assertThat(K.diagonal(0, 1, 2).sub(scalar(1.0)).abs().max().item_double())
                .isZero();
        assertThat(K.max().item_double()).isEqualTo(1);
    }

    // 12. Smaller slips that a computation can show.

    @Test
    void note_12_K1_varies_along_columns_and_K2_along_rows() {
        Tensor M = new Seed(1).normal(DOUBLE, 4, 6);
        Tensor ones = torch.ones_like(M);
        Tensor sq = M.square().sum(1);
        Tensor K1 = ones.matmul(M.square().t());
        Tensor K2 = M.square().matmul(ones.t());
        // The paper's text gives K1(i, j) = ⟨fᵢ, fᵢ⟩; it is ⟨fⱼ, fⱼ⟩, and K2 the other way round.
        assertThat(relative(K1, sq.unsqueeze(0).expand(4, 4))).isLessThan(1e-12);
        assertThat(relative(K2, sq.unsqueeze(1).expand(4, 4))).isLessThan(1e-12);
    }

    @Test
    void note_12_the_covariance_centres_once() {
        Tensor M = new Seed(2).normal(DOUBLE, 1, 5, 9).add_(scalar(3.0));
        Tensor covariance = KernelAggregation.of(new InnerProductKernel.Covariance())
                .apply(M)
                .get(0);
        assertThat(relative(covariance, torch.cov(M.get(0)))).isLessThan(1e-12);
        // The remark's ϕ(fᵢ) = (f̄ᵢ − µᵢ)/√(N−1) takes the mean off twice, which shifts every entry.
        Tensor mean = M.get(0).mean(new long[] {1}, true, new ScalarTypeOptional());
        Tensor twice = M.get(0).sub(mean).sub(mean).div(scalar(Math.sqrt(8)));
        assertThat(relative(twice.matmul(twice.t()), covariance)).isGreaterThan(0.5);
    }

    // 1. ReLU does not keep a matrix SPD.

    @Test
    void note_01_relu_makes_an_spd_4x4_matrix_indefinite() {
        Tensor Y = Doubles.matrix(
                new double[] {3, 2, 0, -2}, new double[] {2, 3, 2, 0}, new double[] {0, 2, 3, 2}, new double[] {
                    -2, 0, 2, 3
                });
        double golden = (1 + Math.sqrt(5)) / 2;
        assertThat(smallestEigenvalue(Y)).isCloseTo(3 - 2 * Math.sqrt(2), within(1e-12));
        assertThat(smallestEigenvalue(new Relu().apply(Y)))
                .isCloseTo(3 - 2 * golden, within(1e-12))
                .isNegative();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void note_01_relu_keeps_3x3_matrices_spd(long seed) {
        Tensor factor = new Seed(seed).normal(DOUBLE, 2000, 3, 3);
        Tensor Y = factor.matmul(factor.mT());
        assertThat(smallestEigenvalue(new Relu().apply(Y))).isGreaterThan(-1e-12);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void note_01_relu_leaves_the_cone_for_a_random_transformation_and_reeig_does_not(long seed) {
        Tensor M = new Seed(seed).normal(DOUBLE, 4, 256, 49).relu_();
        SpdTransformation transformation =
                SpdTransformation.random("t", 256, 256, Stiefel.paper(), DOUBLE, new Seed(seed + 10));
        Tensor Y = transformation.apply(rbf(Gradient.CONSTANT).apply(M));
        assertThat(smallestEigenvalue(Y)).isPositive();
        for (int image = 0; image < 4; image++) {
            assertThat(smallestEigenvalue(new Relu().apply(Y.get(image)))).isNegative();
        }
        Tensor rectified = EigenLayer.rectifier(1e-3).apply(new Relu().apply(Y));
        assertThat(smallestEigenvalue(rectified)).isGreaterThan(1e-3 - 1e-9);
    }

    // 2. The vectorisation gradient counts off-diagonal entries twice.

    @Test
    void note_02_the_paper_counts_off_diagonal_entries_twice() {
        Tensor Y = Symmetric.part(new Seed(1).normal(DOUBLE, 2, 6, 6));
        Layer exact = new Vectorisation(6, Fidelity.EXACT, DOUBLE);
        Layer paper = new Vectorisation(6, Fidelity.PAPER, DOUBLE);
        GradientCheck check = GradientCheck.on(Domain.SYMMETRIC);
        assertThat(check.worstError(exact, Y, new Seed(2))).isLessThan(1e-9);
        assertThat(check.worstError(paper, Y, new Seed(2))).isGreaterThan(0.3);

        Tensor g = new Seed(3).normal(DOUBLE, 2, 21);
        Tensor right = exact.forward(Y, Phase.inference()).backward(g);
        Tensor twice = paper.forward(Y, Phase.inference()).backward(g);
        Tensor offDiagonal = torch.eye(6, DOUBLE.options()).eq(scalar(0.0));
        assertThat(relative(twice.mul(offDiagonal), right.mul(offDiagonal).mul(scalar(2.0))))
                .isLessThan(1e-12);
        assertThat(twice.diagonal(0, 1, 2).equal(right.diagonal(0, 1, 2))).isTrue();
    }

    // 7. QR needs a sign fix.

    @Test
    void note_07_without_a_sign_fix_columns_flip_from_step_to_step() {
        Stiefel stiefel = Stiefel.paper();
        Tensor W = stiefel.random(DOUBLE, new Seed(1), 32, 16);
        Tensor step = stiefel.projection(W, new Seed(2).normal(DOUBLE, 32, 16)).mul(scalar(1e-3));
        Tensor plainQ = torch.linalg_qr(W.add(step)).get0();
        long flipped = plainQ.mul(W).sum(0).lt(scalar(0.0)).sum().item_long();
        assertThat(flipped).as("columns of 16 that LAPACK's Q flips").isGreaterThanOrEqualTo(4);
        Tensor signed = stiefel.retraction(W, step);
        assertThat(signed.mul(W).sum(0).min().item_double()).isGreaterThan(0.99);
    }

    // 8. One learning rate does not fit.

    @Test
    void note_08_the_rate_of_a_classifier_is_too_much_for_W_and_a_smaller_one_or_a_clip_cures_it() {
        double chance = Math.log(2);
        assertThat(lossAfterTraining(0.1, Double.POSITIVE_INFINITY)).isGreaterThan(chance);
        assertThat(lossAfterTraining(0.02, Double.POSITIVE_INFINITY)).isLessThan(0.1);
        assertThat(lossAfterTraining(0.1, 1)).isLessThan(0.1);
    }

    /** Separate textures by their channel couplings with a frozen classifier: only W learns. */
    private static double lossAfterTraining(double rate, double clip) {
        HeadConfig config = HeadConfig.standard(10, 0, 3, 2, Fidelity.EXACT);
        Head head = new Head(config, DOUBLE, new Seed(3));
        Tensor classifier = head.classifier().parameters().get(0).value();
        classifier.copy_(
                new Seed(4).normal(DOUBLE, 2, config.descriptorLength()).mul_(scalar(20.0)));
        Tensor mix = new Seed(5).normal(DOUBLE, 2, 10, 10);
        Tensor labels = torch.arange(scalar(16L)).remainder(scalar(2L));
        Tensor features = mix.index_select(0, labels).matmul(new Seed(6).normal(DOUBLE, 16, 10, 60));
        Parameter W = head.parameters().get(0);
        double loss = 0;
        try (Optimizer optimizer =
                new RiemannianSgd(List.of(ParameterGroup.of(List.of(W)).withClip(clip)), 0)) {
            for (int step = 0; step < 120; step++) {
                optimizer.clearGradients();
                Pass pass = head.forward(features, Phase.training(new Seed(step)));
                SoftmaxCrossEntropy.Result result = SoftmaxCrossEntropy.plain().of(pass.output(), labels);
                pass.backward(result.logitGradient());
                optimizer.step(rate);
                loss = result.loss().item_double();
            }
        }
        return loss;
    }

    // 9. The tangent formula is the gradient of the canonical metric.

    @Test
    void note_09_for_square_W_the_canonical_gradient_is_twice_the_euclidean_one() {
        Stiefel canonical = new Stiefel(Metric.CANONICAL, Retraction.QR);
        Stiefel euclidean = new Stiefel(Metric.EUCLIDEAN, Retraction.QR);
        Tensor square = canonical.random(DOUBLE, new Seed(1), 6, 6);
        Tensor G = new Seed(2).normal(DOUBLE, 6, 6);
        Tensor twice = euclidean.gradient(square, G).mul(scalar(2.0));
        assertThat(relative(canonical.gradient(square, G), twice)).isLessThan(1e-12);

        Tensor tall = canonical.random(DOUBLE, new Seed(3), 9, 4);
        Tensor H = new Seed(4).normal(DOUBLE, 9, 4);
        Tensor removed = H.sub(canonical.gradient(tall, H));
        Tensor tangent = canonical.projection(tall, new Seed(5).normal(DOUBLE, 9, 4));
        assertThat(Math.abs(removed.mul(tangent).sum().item_double()))
                .as("the paper's formula is not a perpendicular projection")
                .isGreaterThan(1e-3);
    }

    // 10. Power normalisation has an infinite slope at zero.

    @Test
    void note_10_the_slope_of_the_power_normalisation_is_infinite_at_zero_and_ours_is_bounded() {
        Tensor v = Doubles.row(0, 0.25, -4).unsqueeze(0).set_requires_grad(true);
        v.sign().mul(v.abs().sqrt()).sum().backward();
        assertThat(v.grad().isfinite().all().item_bool())
                .as("autograd of sign(v)√|v|")
                .isFalse();

        Tensor plain = v.detach();
        Tensor g = torch.ones_like(plain);
        Tensor safe =
                new PowerNormalisation(1e-4).forward(plain, Phase.inference()).backward(g);
        assertThat(safe.get(0).get(0).item_double()).isCloseTo(50, within(1e-9));
        Pass paper = new PowerNormalisation(0).forward(plain, Phase.inference());
        assertThat(relative(paper.output(), Doubles.row(0, 0.5, -2).unsqueeze(0)))
                .isLessThan(1e-12);
        assertThat(relative(paper.backward(g), Doubles.row(0, 1, 0.25).unsqueeze(0)))
                .isLessThan(1e-12);
    }

    @Test
    void note_10_power_normalisation_destroys_positive_definiteness() {
        Tensor factor = new Seed(1).normal(DOUBLE, 30, 30);
        Tensor Y = factor.matmul(factor.t());
        assertThat(smallestEigenvalue(Y)).isPositive();
        assertThat(smallestEigenvalue(new PowerNormalisation(1e-6).apply(Y))).isNegative();
    }

    // 11. A square W changes neither spectrum nor norm.

    @Test
    void note_11_a_square_W_changes_neither_spectrum_nor_norm() {
        Tensor K = rbf(Gradient.CONSTANT).apply(new Seed(1).normal(DOUBLE, 2, 8, 12));
        Tensor Y = SpdTransformation.random("t", 8, 8, Stiefel.paper(), DOUBLE, new Seed(2))
                .apply(K);
        assertThat(relative(Symmetric.eigen(Y).values(), Symmetric.eigen(K).values()))
                .isLessThan(1e-12);
        assertThat(Y.norm().item_double()).isCloseTo(K.norm().item_double(), within(1e-12));
        Tensor rectified = new Relu().apply(Y);
        assertThat(relative(
                        Symmetric.eigen(rectified).values(), Symmetric.eigen(Y).values()))
                .isGreaterThan(1e-3);
    }
}
