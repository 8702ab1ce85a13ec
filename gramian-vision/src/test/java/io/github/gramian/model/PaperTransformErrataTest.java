package io.github.gramian.model;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.check.GradientCheck;
import io.github.gramian.check.GradientCheck.Domain;
import io.github.gramian.layer.EigenLayer;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.PowerNormalisation;
import io.github.gramian.layer.Relu;
import io.github.gramian.layer.SoftmaxCrossEntropy;
import io.github.gramian.layer.SpdTransformation;
import io.github.gramian.layer.Vectorisation;
import io.github.gramian.layer.kernel.Bandwidth.Gradient;
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
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the paper is wrong or silent about what follows the kernel matrix: transformation, descent on W, descriptor. */
class PaperTransformErrataTest extends PaperErrataFixture {

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
