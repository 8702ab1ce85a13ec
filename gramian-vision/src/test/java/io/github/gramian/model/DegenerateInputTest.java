package io.github.gramian.model;

import static io.github.gramian.tensor.Scalars.scalar;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.layer.Fidelity;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Images that break naive implementations: no head may give NaN or infinity, forward or backward. */
class DegenerateInputTest {

    private static final int CHANNELS = 12;

    private static Map<String, UnaryOperator<Tensor>> damages() {
        Map<String, UnaryOperator<Tensor>> damages = new LinkedHashMap<>();
        damages.put("two dead channels", M -> {
            M.narrow(1, 0, 2).zero_();
            return M;
        });
        damages.put("all channels dead", M -> M.zero_());
        damages.put("a blank image among others", M -> {
            M.narrow(0, 0, 1).zero_();
            return M;
        });
        damages.put("constant maps", M -> M.narrow(2, 0, 1).expand_as(M).clone());
        damages.put("all maps the same constant", M -> M.fill_(scalar(3.3)));
        damages.put(
                "all channels the same map", M -> M.narrow(1, 0, 1).expand_as(M).clone());
        damages.put("activations × 1e4", M -> M.mul_(scalar(1e4)));
        damages.put("activations × 1e-4", M -> M.mul_(scalar(1e-4)));
        damages.put("one channel a million times the others", M -> {
            M.narrow(1, 0, 1).mul_(scalar(1e6));
            return M;
        });
        damages.put("a single position", M -> M.narrow(2, 0, 1).clone());
        damages.put("nothing wrong", M -> M);
        return damages;
    }

    private static Map<String, HeadConfig> heads() {
        HeadConfig standard = HeadConfig.standard(CHANNELS, 0, 5, 4, Fidelity.EXACT);
        Map<String, HeadConfig> heads = new LinkedHashMap<>();
        heads.put("standard", standard);
        heads.put("paper", HeadConfig.standard(CHANNELS, 0, 5, 4, Fidelity.PAPER));
        heads.put("C' = 1", HeadConfig.standard(CHANNELS, 0, 1, 4, Fidelity.EXACT));
        heads.put("convolution", HeadConfig.standard(CHANNELS, 7, 5, 4, Fidelity.EXACT));
        heads.put(
                "two transformations, ReLU and ReEig",
                standard.withTransforms(
                        new TransformConfig(8, Stiefel.paper(), new Activation.ElementwiseRelu()),
                        new TransformConfig(4, Stiefel.paper(), new Activation.EigenvalueRectifier(1e-4))));
        Bandwidth exact = new Bandwidth.PerImage(Gradient.EXACT);
        KernelConfig rbf = new KernelConfig.Rbf(exact);
        heads.put(
                "logarithm",
                standard.withAggregation(new AggregationConfig(rbf, false, 1e-3))
                        .withDescriptor(new DescriptorConfig(1e-4, -1, 0.1, Fidelity.EXACT)));
        heads.put("Laplacian", standard.withAggregation(AggregationConfig.of(new KernelConfig.Laplacian(exact))));
        heads.put(
                "several σ",
                standard.withAggregation(
                        AggregationConfig.of(new KernelConfig.MultiRbf(exact, List.of(0.01, 1.0, 2.0)))));
        heads.put(
                "global σ",
                standard.withAggregation(AggregationConfig.of(new KernelConfig.Rbf(new Bandwidth.Global(0.1)))));
        heads.put("polynomial", standard.withAggregation(AggregationConfig.of(new KernelConfig.Polynomial(2, 1))));
        heads.put("linear", standard.withAggregation(AggregationConfig.of(new KernelConfig.Linear())));
        heads.put("covariance", standard.withAggregation(AggregationConfig.of(new KernelConfig.Covariance())));
        heads.put("centred maps", standard.withAggregation(new AggregationConfig(rbf, true, 0)));
        return heads;
    }

    static Stream<Arguments> everything() {
        List<Arguments> all = new ArrayList<>();
        for (String head : heads().keySet()) {
            for (String damage : damages().keySet()) {
                for (Precision precision : List.of(Precision.FLOAT, Precision.DOUBLE)) {
                    all.add(Arguments.of(head, damage, precision));
                }
            }
        }
        return all.stream();
    }

    @ParameterizedTest(name = "{0}, {1}, {2}")
    @MethodSource("everything")
    void no_number_is_nan_or_infinite(String headName, String damageName, Precision precision) {
        Placement placement = Placement.cpu(precision);
        try (Scope scope = Scope.open();
                Head head = new Head(requireNonNull(heads().get(headName)), placement, new Seed(1))) {
            Tensor weight = head.classifier().parameters().get(0).value();
            weight.copy_(new Seed(2).normal(placement, weight.size(0), weight.size(1)));
            Tensor M = requireNonNull(damages().get(damageName))
                    .apply(new Seed(3).normal(placement, 2, CHANNELS, 9).relu_());
            Pass pass = head.forward(M, Phase.training(new Seed(4)));
            assertFinite("scores", pass.output());
            SoftmaxCrossEntropy.Result loss =
                    new SoftmaxCrossEntropy(0.1, 5).of(pass.output(), torch.tensor(new long[] {0, 3}));
            assertFinite("loss", loss.loss());
            assertFinite("gradient of the features", pass.backward(loss.logitGradient()));
            for (Parameter parameter : head.parameters()) {
                assertFinite("gradient of " + parameter, parameter.gradient());
                assertFinite("value of " + parameter, parameter.value());
            }
        }
    }

    private static void assertFinite(String what, Tensor tensor) {
        assertThat(tensor.isfinite().all().item_bool()).as(what).isTrue();
    }
}
