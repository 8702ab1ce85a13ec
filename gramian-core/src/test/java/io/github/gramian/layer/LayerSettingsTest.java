package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.layer.LayerCases.LayerCase;
import io.github.gramian.layer.aggregator.MaxPooling;
import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.layer.kernel.InnerProductKernel;
import io.github.gramian.layer.kernel.KernelAggregation;
import io.github.gramian.layer.kernel.MultiRbfKernel;
import io.github.gramian.layer.kernel.RbfKernel;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.tensor.Doubles;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Behaviour of single layers beyond the contract: they refuse impossible settings, update statistics, own their memory. */
class LayerSettingsTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    @Test
    void impossible_settings_are_refused_with_advice() {
        assertThatThrownBy(() -> new Sequence(List.of())).hasMessageContaining("at least one layer");
        assertThatThrownBy(() -> new KernelAggregation(new InnerProductKernel.Linear(), false, -1))
                .hasMessageContaining("jitter");
        assertThatThrownBy(() -> new InnerProductKernel.Polynomial(0, 1)).hasMessageContaining("1..8");
        assertThatThrownBy(() -> new InnerProductKernel.Polynomial(2, -1)).hasMessageContaining("offset");
        assertThatThrownBy(() -> new Bandwidth.Fixed(0)).hasMessageContaining("sigma");
        assertThatThrownBy(() -> new Bandwidth.Global(0)).hasMessageContaining("momentum");
        assertThatThrownBy(() -> MultiRbfKernel.check(List.of())).hasMessageContaining("at least one");
        assertThatThrownBy(() -> MultiRbfKernel.check(List.of(1.0, -2.0))).hasMessageContaining("-2.0");
        assertThatThrownBy(() -> new PowerNormalisation(-1)).hasMessageContaining("epsilon");
        assertThatThrownBy(() -> new DescriptorCentring("c", 3, 2, DOUBLE)).hasMessageContaining("momentum");
        assertThatThrownBy(() -> SpdTransformation.random("transform", 4, 5, Stiefel.paper(), DOUBLE, new Seed(1)))
                .hasMessageContaining("transform.outputDim must lie in 1..4 but is 5; lower it");
        assertThatThrownBy(() -> new SpdTransformation("t", Doubles.row(1, 2).unsqueeze(1), Stiefel.paper()))
                .hasMessageContaining("orthonormal");
    }

    @Test
    void the_running_mean_is_taken_from_training_and_used_in_inference() {
        DescriptorCentring layer = new DescriptorCentring("centring", 2, 0.25, DOUBLE);
        Tensor first = Doubles.matrix(new double[] {1, 2}, new double[] {3, 6});
        // The first batch sets the mean to (2, 4) and is centred with it.
        Tensor centred = layer.forward(first, Phase.training(new Seed(1))).output();
        assertThat(centred.sum(0).norm().item_double()).isLessThan(1e-12);
        // The second one is centred with the old mean and moves it a quarter of the way.
        Tensor second = Doubles.matrix(new double[] {6, 8});
        assertThat(layer.forward(second, Phase.training(new Seed(2)))
                        .output()
                        .sum()
                        .item_double())
                .isCloseTo(8, within(1e-12));
        Tensor mean = layer.parameters().get(0).value();
        assertThat(mean.sub(Doubles.row(3, 5)).norm().item_double()).isLessThan(1e-12);
        assertThat(layer.apply(second)
                        .sub(Doubles.matrix(new double[] {3, 3}))
                        .norm()
                        .item_double())
                .isLessThan(1e-12);
        assertThat(mean.sub(Doubles.row(3, 5)).norm().item_double()).isLessThan(1e-12);
        assertThat(layer.parameters()).noneMatch(Parameter::trainable);
    }

    @Test
    void the_gain_gives_descriptors_the_length_one_unless_they_hardly_vary() {
        DescriptorCentring layer = new DescriptorCentring("centring", 2, 0.25, DOUBLE);
        layer.start(Doubles.row(1, 1), 4);
        Tensor v = Doubles.matrix(new double[] {3, 1});
        assertThat(layer.apply(v)
                        .sub(Doubles.matrix(new double[] {1, 0}))
                        .norm()
                        .item_double())
                .isLessThan(1e-12);
        layer.start(Doubles.row(1, 1), 1e-9);
        assertThat(layer.apply(v).norm().item_double()).isCloseTo(2 / Math.sqrt(0.05), within(1e-12));
    }

    @Test
    void centring_with_the_mean_of_earlier_batches_lets_processes_shard_a_batch() {
        Tensor before = new Seed(1).normal(DOUBLE, 4, 3);
        Tensor batch = new Seed(2).normal(DOUBLE, 4, 3);
        DescriptorCentring whole = trained(before);
        DescriptorCentring left = trained(before);
        DescriptorCentring right = trained(before);
        Tensor together = whole.forward(batch, Phase.training(new Seed(3))).output();
        Tensor leftPart =
                left.forward(batch.narrow(0, 0, 2), Phase.training(new Seed(3))).output();
        right.forward(batch.narrow(0, 2, 2), Phase.training(new Seed(3)));
        assertThat(leftPart.sub(together.narrow(0, 0, 2)).norm().item_double()).isLessThan(1e-14);
        Tensor average = left.parameters()
                .get(0)
                .value()
                .add(right.parameters().get(0).value())
                .mul(scalar(0.5));
        assertThat(average.sub(whole.parameters().get(0).value()).norm().item_double())
                .isLessThan(1e-14);
    }

    private static DescriptorCentring trained(Tensor batch) {
        DescriptorCentring layer = new DescriptorCentring("centring", 3, 0.1, DOUBLE);
        layer.forward(batch, Phase.training(new Seed(0)));
        return layer;
    }

    @Test
    void the_first_of_several_maxima_gets_the_gradient() {
        Tensor maps = Doubles.matrix(new double[] {1, 4, 4, 2}, new double[] {0, 0, 0, 0})
                .unsqueeze(0);
        Pass pass = new MaxPooling().forward(maps, Phase.inference());
        assertThat(pass.output().equal(Doubles.matrix(new double[] {4, 0}))).isTrue();
        Tensor gradient = pass.backward(Doubles.matrix(new double[] {3, 5})).squeeze(0);
        assertThat(gradient.equal(Doubles.matrix(new double[] {0, 3, 0, 0}, new double[] {5, 0, 0, 0})))
                .isTrue();
    }

    @Test
    void several_widths_of_one_are_the_plain_kernel() {
        Tensor maps = LayerCases.MAPS.make(new LayerCase.Size(6, 9, 2), DOUBLE, new Seed(1));
        Bandwidth bandwidth = new Bandwidth.PerImage(Bandwidth.Gradient.EXACT);
        Pass plain = new RbfKernel("k", bandwidth, DOUBLE).gram(maps, Phase.inference());
        Pass several = new MultiRbfKernel("k", bandwidth, List.of(1.0, 1.0), ProductPrecision.EXACT, DOUBLE)
                .gram(maps, Phase.inference());
        assertThat(several.output().sub(plain.output()).norm().item_double()).isLessThan(1e-13);
        Tensor G = new Seed(2).normal(DOUBLE, 2, 6, 6);
        assertThat(several.backward(G).sub(plain.backward(G)).norm().item_double())
                .isLessThan(1e-12);
    }

    @Test
    void vectorisation_keeps_the_norm() {
        Tensor Y = LayerCases.SPD.make(new LayerCase.Size(6, 6, 3), DOUBLE, new Seed(1));
        Tensor V = new Vectorisation(6, Fidelity.EXACT, DOUBLE).apply(Y);
        assertThat(V.norm().item_double()).isCloseTo(Y.norm().item_double(), within(1e-12));
        assertThat(V.size(1)).isEqualTo(21);
    }

    @Test
    void a_closed_layer_has_given_its_memory_back() {
        Layer layer = Sequence.of(
                Convolution1x1.random("c", 3, 4, DOUBLE, new Seed(1)),
                new Relu(),
                KernelAggregation.of(new RbfKernel("k", new Bandwidth.Global(0.1), DOUBLE)),
                new Vectorisation(4, Fidelity.EXACT, DOUBLE));
        List<Tensor> values = layer.parameters().stream().map(Parameter::value).toList();
        layer.parameters().forEach(Parameter::clearGradient);
        assertThat(values).hasSize(4).noneMatch(tensor -> tensor.isNull());
        try (Scope unused = Scope.open()) {
            layer.apply(torch.ones(new long[] {1, 3, 5}, DOUBLE.options()));
        }
        layer.close();
        scope.close();
        assertThat(values).allMatch(tensor -> tensor.isNull());
    }
}
