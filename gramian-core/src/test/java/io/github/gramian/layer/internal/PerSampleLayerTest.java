package io.github.gramian.layer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.layer.Convolution1x1;
import io.github.gramian.layer.DescriptorCentring;
import io.github.gramian.layer.EigenLayer;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.L2Normalisation;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.PowerNormalisation;
import io.github.gramian.layer.ProductPrecision;
import io.github.gramian.layer.Relu;
import io.github.gramian.layer.Sequence;
import io.github.gramian.layer.SpdTransformation;
import io.github.gramian.layer.Vectorisation;
import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.layer.kernel.KernelAggregation;
import io.github.gramian.layer.kernel.RbfKernel;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Engine;
import io.github.gramian.tensor.internal.ScalarTypes;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Image by image must be the same as all at once, whichever worker computes which image. */
class PerSampleLayerTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final int IMAGES = 13;

    private final Scope scope = Scope.open();
    private final int defaultThreads = torch.get_num_threads();

    @AfterEach
    void free() {
        scope.close();
        Engine.useThreads(defaultThreads);
    }

    private static Sequence layers(Placement placement) {
        return Sequence.of(
                Convolution1x1.random("c", 12, 16, placement, new Seed(1)),
                new Relu(),
                new KernelAggregation(
                        new RbfKernel("k", new Bandwidth.PerImage(Bandwidth.Gradient.EXACT), placement), true, 1e-2),
                SpdTransformation.random("t", 16, 9, Stiefel.paper(), placement, new Seed(2)),
                EigenLayer.logarithm(1e-3),
                new Vectorisation(9, Fidelity.EXACT, placement),
                new PowerNormalisation(1e-3),
                new L2Normalisation());
    }

    private record Outcome(Tensor output, Tensor gradient, List<Tensor> parameters) {}

    /** A synthetic size of the matrix decides how many images make a portion. */
    private static Outcome run(Layer layer, Placement placement) {
        layer.parameters().forEach(Parameter::clearGradient);
        Tensor maps = new Seed(3).normal(placement, IMAGES, 12, 20);
        Pass pass = layer.forward(maps, Phase.inference());
        Tensor gradient = pass.backward(new Seed(4).normal(placement, IMAGES, 45));
        return new Outcome(
                pass.output(),
                gradient,
                layer.parameters().stream()
                        .map(parameter -> parameter.gradient().clone())
                        .toList());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 200, 300, 600})
    void image_by_image_gives_the_same_as_the_whole_batch(long matrixSize) {
        try (Sequence layers = layers(DOUBLE)) {
            Engine.useThreads(3);
            Outcome together = run(layers, DOUBLE);
            Outcome apart = run(new PerSampleLayer(layers, matrixSize), DOUBLE);
            assertThat(distance(apart.output(), together.output())).isLessThan(1e-12);
            assertThat(distance(apart.gradient(), together.gradient())).isLessThan(1e-10);
            for (int i = 0; i < together.parameters().size(); i++) {
                assertThat(distance(
                                apart.parameters().get(i), together.parameters().get(i)))
                        .isLessThan(1e-10);
            }
        }
    }

    @Test
    void the_last_bit_does_not_depend_on_the_number_of_threads() {
        try (Sequence layers = layers(FLOAT)) {
            PerSampleLayer apart = new PerSampleLayer(layers, 512);
            Engine.useThreads(1);
            Outcome alone = run(apart, FLOAT);
            Engine.useThreads(3);
            for (int repeat = 0; repeat < 5; repeat++) {
                Outcome several = run(apart, FLOAT);
                assertThat(several.output().equal(alone.output())).isTrue();
                assertThat(several.gradient().equal(alone.gradient())).isTrue();
                for (int i = 0; i < alone.parameters().size(); i++) {
                    assertThat(several.parameters()
                                    .get(i)
                                    .equal(alone.parameters().get(i)))
                            .isTrue();
                }
            }
        }
    }

    @Test
    void a_failure_in_one_image_comes_out() {
        Layer failing = new Layer() {
            @Override
            public Pass forward(Tensor input, Phase phase) {
                throw new IllegalStateException("no image today");
            }

            @Override
            public boolean isPerSample() {
                return true;
            }
        };
        Tensor maps = new Seed(3).normal(FLOAT, IMAGES, 12, 20);
        assertThatThrownBy(() -> new PerSampleLayer(failing, 512).forward(maps, Phase.inference()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no image today");
    }

    @Test
    void layers_that_need_the_whole_batch_are_refused() {
        try (Layer centring = new DescriptorCentring("c", 4, 0.1, FLOAT)) {
            assertThatThrownBy(() -> new PerSampleLayer(centring, 4))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("whole batch");
        }
        try (Layer global = KernelAggregation.of(new RbfKernel("k", new Bandwidth.Global(0.1), FLOAT))) {
            assertThat(global.isPerSample()).isFalse();
        }
    }

    @Test
    void products_in_bfloat16_are_accurate_to_two_digits() {
        Tensor maps = new Seed(5).normal(FLOAT, 4, 64, 49).relu_();
        SpdTransformation transformation = SpdTransformation.random("t", 64, 32, Stiefel.paper(), FLOAT, new Seed(6));
        Outcome exact = through(ProductPrecision.EXACT, transformation, maps);
        Outcome rough = through(ProductPrecision.BFLOAT16, transformation, maps);
        assertThat(ScalarTypes.precision(rough.output())).isEqualTo(Precision.FLOAT);
        assertThat(distance(rough.output(), exact.output())).isBetween(1e-6, 1e-2);
        assertThat(distance(rough.gradient(), exact.gradient())).isBetween(1e-6, 2e-2);
        assertThat(distance(rough.parameters().get(0), exact.parameters().get(0)))
                .isBetween(1e-6, 2e-2);
    }

    private static Outcome through(ProductPrecision products, SpdTransformation transformation, Tensor maps) {
        Layer layers = Sequence.of(
                KernelAggregation.of(
                        new RbfKernel("k", new Bandwidth.PerImage(Bandwidth.Gradient.EXACT), products, FLOAT)),
                transformation.with(products));
        layers.parameters().forEach(Parameter::clearGradient);
        Pass pass = layers.forward(maps, Phase.inference());
        Tensor gradient = pass.backward(new Seed(7).normal(FLOAT, 4, 32, 32));
        Tensor weights = layers.parameters().get(0).gradient().clone();
        return new Outcome(pass.output(), gradient, List.of(weights));
    }

    private static double distance(Tensor a, Tensor b) {
        return a.sub(b).norm().item_double() / b.norm().item_double();
    }
}
