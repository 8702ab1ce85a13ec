package io.github.gramian.model;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.check.FullForm;
import io.github.gramian.check.GradientCheck;
import io.github.gramian.check.GradientCheck.Domain;
import io.github.gramian.layer.AutogradComparison;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.LayerReferences;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.SoftmaxCrossEntropy;
import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.layer.kernel.Bandwidth.Gradient;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.HeadConfig;
import io.github.gramian.model.config.KernelConfig;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.model.config.TransformConfig.Activation;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorArrayRefOptional;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("slow")
class HeadTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final int IN = 6;
    private static final boolean FULL = FullForm.isOn();

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    /** A head for C channels after the convolution. */
    private interface Shape {
        HeadConfig of(int channels);
    }

    private record HeadCase(String name, Shape shape, UnaryOperator<Tensor> kernel, UnaryOperator<Tensor> matrix) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static HeadConfig standard(int channels) {
        return HeadConfig.standard(IN, channels, Math.max(1, channels / 2), 3, Fidelity.EXACT);
    }

    private static HeadCase withKernel(String name, KernelConfig kernel, UnaryOperator<Tensor> reference) {
        return new HeadCase(name, c -> standard(c).withAggregation(AggregationConfig.of(kernel)), reference, Y -> Y);
    }

    static List<HeadCase> heads() {
        UnaryOperator<Tensor> rbf = M -> LayerReferences.rbf(M, true);
        Bandwidth exact = new Bandwidth.PerImage(Gradient.EXACT);
        return List.of(
                new HeadCase("standard", HeadTest::standard, rbf, Y -> Y),
                new HeadCase(
                        "two transformations with a ReLU",
                        c -> standard(c)
                                .withTransforms(
                                        new TransformConfig(c, Stiefel.paper(), new Activation.ElementwiseRelu()),
                                        TransformConfig.to(Math.max(1, c / 2))),
                        rbf,
                        Y -> Y),
                new HeadCase("no transformation", c -> standard(c).withTransforms(), rbf, Y -> Y),
                new HeadCase(
                        "eigenvalues rectified, logarithm",
                        c -> standard(c)
                                .withAggregation(new AggregationConfig(new KernelConfig.Rbf(exact), true, 1e-2))
                                .withTransforms(new TransformConfig(
                                        Math.max(1, c / 2), Stiefel.paper(), new Activation.EigenvalueRectifier(1e-3)))
                                .withDescriptor(new DescriptorConfig(1e-3, -1, 0, Fidelity.EXACT)),
                        M -> LayerReferences.rbf(LayerReferences.centredMaps(M), true)
                                .add(torch.eye(M.size(1), Placement.of(M).options()), scalar(1e-2)),
                        Y -> LayerReferences.eigen(Y, 1e-3, Tensor::log)),
                withKernel("Laplacian", new KernelConfig.Laplacian(exact), M -> LayerReferences.laplacian(M, true)),
                withKernel("polynomial", new KernelConfig.Polynomial(2, 1), M -> LayerReferences.polynomial(M, 2, 1)),
                withKernel("linear", new KernelConfig.Linear(), LayerReferences::linear),
                withKernel("covariance", new KernelConfig.Covariance(), LayerReferences::covariance));
    }

    static Stream<Arguments> everyHead() {
        List<Arguments> all = new ArrayList<>();
        for (HeadCase head : heads()) {
            for (int channels : FULL ? new int[] {1, 2, 5, 16} : new int[] {1, 2, 5}) {
                // N smaller than, equal to and larger than C; a single position has no covariance.
                for (int positions : IntStream.of(channels - 1, channels, channels + 4)
                        .map(n -> Math.max(2, n))
                        .distinct()
                        .toArray()) {
                    for (int batch : new int[] {1, 3}) {
                        for (long seed = 1; seed <= seeds(channels, positions); seed++) {
                            all.add(Arguments.of(head, channels, positions, batch, seed));
                        }
                    }
                }
            }
        }
        return all.stream();
    }

    /** Three everywhere with -Dgramian.test.full=true, otherwise three at one size and one elsewhere. */
    private static long seeds(int channels, int positions) {
        return FULL || (channels == 5 && positions == 5) ? 3 : 1;
    }

    private static Head head(HeadConfig config, Placement placement, long seed) {
        Head head = new Head(config, placement, new Seed(seed));
        Tensor weight = head.classifier().parameters().get(0).value();
        weight.copy_(new Seed(seed).child("classifier").normal(placement, weight.size(0), weight.size(1)));
        // A bias keeps channels positive after the ReLU: autograd's own gradient is NaN where two channels coincide.
        Tensor bias = head.parameters().get(1).value();
        bias.copy_(new Seed(seed).child("bias").uniform(placement, bias.size(0)).add_(scalar(2.0)));
        return head;
    }

    private static Tensor features(int batch, int positions, long seed) {
        return new Seed(seed).child("features").normal(DOUBLE, batch, IN, positions);
    }

    @ParameterizedTest(name = "{0}, C = {1}, N = {2}, batch {3}, seed {4}")
    @MethodSource("everyHead")
    void the_whole_gradient_agrees_with_central_differences(
            HeadCase headCase, int channels, int positions, int batch, long seed) {
        try (Head head = head(headCase.shape().of(channels), DOUBLE, seed)) {
            Tensor features = features(batch, positions, seed);
            assertThat(GradientCheck.on(Domain.ANY).worstError(head, features, new Seed(seed)))
                    .isLessThanOrEqualTo(1e-7);
        }
    }

    @ParameterizedTest(name = "{0}, C = {1}, N = {2}, batch {3}, seed {4}")
    @MethodSource("everyHead")
    void the_whole_gradient_agrees_with_autograd(HeadCase headCase, int channels, int positions, int batch, long seed) {
        HeadConfig config = headCase.shape().of(channels);
        try (Head head = head(config, DOUBLE, seed)) {
            Tensor features = features(batch, positions, seed);
            AutogradComparison comparison =
                    AutogradComparison.of(head, features, (x, p) -> reference(headCase, config, x, p), new Seed(seed));
            assertThat(comparison.worstError()).isLessThanOrEqualTo(1e-10);
        }
    }

    private static Tensor reference(HeadCase headCase, HeadConfig config, Tensor x, List<Tensor> p) {
        Tensor Y = headCase.kernel()
                .apply(LayerReferences.convolution(x, p.get(0), p.get(1)).relu());
        int next = 2;
        for (TransformConfig transform : config.transforms()) {
            Y = LayerReferences.transformation(Y, p.get(next++));
            if (transform.activation() instanceof Activation.ElementwiseRelu) {
                Y = Y.relu();
            }
        }
        Tensor V = LayerReferences.vectorisation(headCase.matrix().apply(Y));
        double epsilon = config.descriptor().powerEpsilon();
        Tensor normalised = LayerReferences.unitLength(epsilon >= 0 ? LayerReferences.power(V, epsilon) : V);
        return LayerReferences.fullyConnected(normalised, p.get(next), p.get(next + 1));
    }

    @Test
    void the_gradient_continues_in_the_graph_of_a_backbone() {
        try (Head head = head(standard(5), DOUBLE, 4)) {
            Tensor image = new Seed(5).normal(DOUBLE, 2, 3, 7).set_requires_grad(true);
            Tensor filter = new Seed(6).normal(DOUBLE, IN, 3).set_requires_grad(true);
            Tensor features = filter.matmul(image).tanh();
            Pass pass = head.forward(features.detach(), Phase.training(new Seed(7)));
            Tensor G = new Seed(8).normal(DOUBLE, 2, 3);
            features.backward(pass.backward(G), new BoolOptional(), false, new TensorArrayRefOptional());

            List<Tensor> p = head.parameters().stream().map(Parameter::value).toList();
            Tensor plainFilter = filter.detach().clone().set_requires_grad(true);
            Tensor plainFeatures = plainFilter.matmul(image.detach()).tanh();
            reference(heads().get(0), head.config(), plainFeatures, p)
                    .mul(G)
                    .sum()
                    .backward();
            double error = filter.grad().sub(plainFilter.grad()).norm().item_double();
            assertThat(error / plainFilter.grad().norm().item_double()).isLessThan(1e-10);
        }
    }

    @Test
    void a_small_head_learns_to_separate_two_textures() {
        HeadConfig config = standard(8).withDescriptor(new DescriptorConfig(0, 1e-6, 0.1, Fidelity.EXACT));
        try (Head head = new Head(config, DOUBLE, new Seed(11))) {
            Tensor mix = new Seed(12).normal(DOUBLE, 2, IN, IN);
            Tensor labels = torch.tensor(new long[] {0, 1, 0, 1, 0, 1, 0, 1});
            Tensor features = mix.index_select(0, labels).matmul(new Seed(13).normal(DOUBLE, 8, IN, 30));
            SoftmaxCrossEntropy loss = new SoftmaxCrossEntropy(0.05, 5);
            double first = 0;
            double last = 0;
            for (int step = 0; step < 60; step++) {
                head.parameters().forEach(Parameter::clearGradient);
                Pass pass = head.forward(features, Phase.training(new Seed(step)));
                SoftmaxCrossEntropy.Result result = loss.of(pass.output(), labels);
                pass.backward(result.logitGradient());
                for (Parameter parameter : head.parameters()) {
                    Tensor along = parameter.manifold().gradient(parameter.value(), parameter.gradient());
                    parameter.assign(parameter.manifold().retraction(parameter.value(), along.mul(scalar(-0.05))));
                }
                last = result.loss().item_double();
                first = step == 0 ? last : first;
            }
            assertThat(first).isGreaterThan(0.6);
            assertThat(last).isLessThan(0.75 * first);
        }
    }

    @Test
    void a_config_knows_its_sizes() {
        HeadConfig config = HeadConfig.standard(2048, 256, 64, 45, Fidelity.EXACT);
        assertThat(config.channels()).isEqualTo(256);
        assertThat(config.matrixSize()).isEqualTo(64);
        assertThat(config.descriptorLength()).isEqualTo(2080);
        assertThat(config.withTransforms().matrixSize()).isEqualTo(256);
        assertThat(HeadConfig.standard(512, 0, 512, 45, Fidelity.PAPER).channels())
                .isEqualTo(512);
    }

    @Test
    void an_invalid_config_is_refused_with_what_to_change() {
        assertThatThrownBy(() -> HeadConfig.standard(512, 256, 300, 45, Fidelity.EXACT))
                .hasMessageContaining("transform.outputDim must lie in 1..256 but is 300; lower it");
        assertThatThrownBy(() -> HeadConfig.standard(0, 256, 30, 45, Fidelity.EXACT))
                .hasMessageContaining("inputChannels >= 1");
        assertThatThrownBy(() -> TransformConfig.to(0)).hasMessageContaining("at least 1");
        assertThatThrownBy(() -> new DescriptorConfig(-1, 0, 0, Fidelity.EXACT)).hasMessageContaining("logarithmFloor");
        assertThatThrownBy(() -> new DescriptorConfig(0, 0, 0, 1, Fidelity.EXACT))
                .hasMessageContaining("dropout");
        assertThatThrownBy(() -> new DescriptorConfig(0, 0, 2, Fidelity.EXACT))
                .hasMessageContaining("centringMomentum");
    }
}
