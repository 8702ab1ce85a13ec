package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.CrossEntropyLossOptions;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SoftmaxCrossEntropyTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 1", "0.1, 1, 2", "0, 5, 3", "0.2, 7, 1"})
    void loss_and_gradient_agree_with_libtorch(double smoothing, double scale, long seed) {
        Tensor z = new Seed(seed).normal(DOUBLE, 6, 4).set_requires_grad(true);
        Tensor labels = torch.tensor(new long[] {0, 1, 2, 3, 3, 0});
        CrossEntropyLossOptions options = new CrossEntropyLossOptions();
        options.label_smoothing().put(smoothing);
        Tensor expected = torch.cross_entropy(z.mul(scalar(scale)), labels, options);
        expected.backward();
        SoftmaxCrossEntropy.Result result = new SoftmaxCrossEntropy(smoothing, scale).of(z.detach(), labels);
        assertThat(result.loss().item_double()).isCloseTo(expected.item_double(), within(1e-12));
        assertThat(result.logitGradient().sub(z.grad()).norm().item_double()).isLessThan(1e-12);
        assertThat(result.probabilities().sum(1).sub(scalar(1.0)).norm().item_double())
                .isLessThan(1e-12);
    }

    @Test
    void the_loss_of_mixed_labels_is_the_mixture_of_losses() {
        SoftmaxCrossEntropy entropy = new SoftmaxCrossEntropy(0.1, 3);
        Tensor z = new Seed(1).normal(DOUBLE, 3, 4);
        Tensor left = torch.tensor(new long[] {0, 1, 2});
        Tensor right = torch.tensor(new long[] {3, 1, 0});
        Tensor q = entropy.targets(z, left)
                .mul(scalar(0.7))
                .add(entropy.targets(z, right).mul(scalar(0.3)));
        SoftmaxCrossEntropy.Result mixed = entropy.ofTargets(z, q);
        double expected = 0.7 * entropy.of(z, left).loss().item_double()
                + 0.3 * entropy.of(z, right).loss().item_double();
        assertThat(mixed.loss().item_double()).isCloseTo(expected, within(1e-12));
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "0.1, 3"})
    void weighted_samples_count_by_their_weights(double smoothing, double scale) {
        SoftmaxCrossEntropy entropy = new SoftmaxCrossEntropy(smoothing, scale);
        Tensor z = new Seed(4).normal(DOUBLE, 3, 4);
        Tensor labels = torch.tensor(new long[] {0, 1, 3});
        double[] weights = {0.5, 1.75, 0.75};
        Tensor q = entropy.targets(z, labels).mul(Tensor.create(weights).unsqueeze(1));
        SoftmaxCrossEntropy.Result result = entropy.ofWeightedTargets(z, q);
        double expected = 0;
        for (int row = 0; row < 3; row++) {
            Tensor one = z.narrow(0, row, 1);
            expected += weights[row]
                    / 3
                    * entropy.of(one, labels.narrow(0, row, 1)).loss().item_double();
        }
        assertThat(result.loss().item_double()).isCloseTo(expected, within(1e-12));
        double step = 1e-5;
        for (int i = 0; i < 12; i++) {
            Tensor shift = torch.zeros_like(z);
            shift.view(12).narrow(0, i, 1).fill_(scalar(step));
            double slope = (entropy.ofWeightedTargets(z.add(shift), q).loss().item_double()
                            - entropy.ofWeightedTargets(z.sub(shift), q).loss().item_double())
                    / (2 * step);
            double gradient = result.logitGradient().flatten().narrow(0, i, 1).item_double();
            assertThat(gradient).isCloseTo(slope, within(1e-8));
        }
        SoftmaxCrossEntropy.Result equal = entropy.ofWeightedTargets(z, entropy.targets(z, labels));
        assertThat(equal.logitGradient()
                        .sub(entropy.of(z, labels).logitGradient())
                        .norm()
                        .item_double())
                .isLessThan(1e-15);
    }

    @Test
    void huge_logits_give_finite_results() {
        Tensor z = new Seed(1).normal(Placement.cpu(Precision.FLOAT), 3, 4).mul_(scalar(1e6));
        SoftmaxCrossEntropy.Result result = SoftmaxCrossEntropy.plain().of(z, torch.tensor(new long[] {0, 1, 2}));
        assertThat(result.loss().isfinite().item_bool()).isTrue();
        assertThat(result.logitGradient().isfinite().all().item_bool()).isTrue();
    }

    @Test
    void impossible_settings_are_refused() {
        assertThatThrownBy(() -> new SoftmaxCrossEntropy(1, 1)).hasMessageContaining("smoothing");
        assertThatThrownBy(() -> new SoftmaxCrossEntropy(0, 0)).hasMessageContaining("scale");
    }
}
