package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.FullForm;
import io.github.gramian.check.GradientCheck;
import io.github.gramian.layer.LayerCases.LayerCase;
import io.github.gramian.layer.LayerCases.LayerCase.Size;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of every layer, in double, at every size. */
class LayerContractTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    /** N smaller than, equal to and larger than C; batches of 1 and 3. C up to 16 with -Dgramian.test.full=true, otherwise 5. */
    static List<Size> sizes() {
        List<Size> sizes = new ArrayList<>();
        for (int channels : FullForm.isOn() ? new int[] {1, 2, 5, 16} : new int[] {1, 2, 5}) {
            for (int positions : new int[] {Math.max(1, channels - 1), channels, channels + 4}) {
                for (int batch : new int[] {1, 3}) {
                    sizes.add(new Size(channels, positions, batch));
                }
            }
        }
        return sizes.stream().distinct().toList();
    }

    static Stream<Arguments> everyLayerAtEverySize() {
        return LayerCases.all().stream()
                .flatMap(layer -> sizes().stream()
                        .flatMap(size -> LongStream.rangeClosed(1, seeds(size))
                                .mapToObj(seed -> Arguments.of(layer, size, seed))));
    }

    /** Three everywhere with -Dgramian.test.full=true, otherwise three at one size and one elsewhere. */
    private static long seeds(Size size) {
        return FullForm.isOn() || size.equals(new Size(5, 5, 3)) ? 3 : 1;
    }

    static Stream<Arguments> everyExactLayerAtEverySize() {
        return everyLayerAtEverySize()
                .filter(arguments -> ((LayerCase) arguments.get()[0]).exact());
    }

    static Stream<Arguments> everyLayer() {
        return LayerCases.all().stream().map(Arguments::of);
    }

    @ParameterizedTest(name = "{0} {1} seed {2}")
    @MethodSource("everyExactLayerAtEverySize")
    void the_gradient_agrees_with_central_differences(LayerCase layerCase, Size size, long seed) {
        try (Layer layer = layerCase.layers().make(size, DOUBLE, new Seed(seed).child("layer"))) {
            Tensor input = layerCase.inputs().make(size, DOUBLE, new Seed(seed));
            assertThat(GradientCheck.on(layerCase.domain()).findings(layer, input, new Seed(seed)))
                    .allSatisfy(finding -> assertThat(finding.relativeError())
                            .as(finding.tensor())
                            .isLessThanOrEqualTo(1e-7));
        }
    }

    @ParameterizedTest(name = "{0} {1} seed {2}")
    @MethodSource("everyLayerAtEverySize")
    void the_gradient_agrees_with_autograd(LayerCase layerCase, Size size, long seed) {
        try (Layer layer = layerCase.layers().make(size, DOUBLE, new Seed(seed).child("layer"))) {
            Tensor input = layerCase.inputs().make(size, DOUBLE, new Seed(seed));
            AutogradComparison comparison = AutogradComparison.of(layer, input, layerCase.reference(), new Seed(seed));
            assertThat(comparison.worstError()).isLessThanOrEqualTo(1e-10);
        }
    }

    @ParameterizedTest
    @MethodSource("everyLayer")
    void a_batch_of_one_equals_a_row_of_a_batch(LayerCase layerCase) {
        Size three = new Size(5, 7, 3);
        try (Layer layer = layerCase.layers().make(three, DOUBLE, new Seed(5))) {
            Tensor batch = layerCase.inputs().make(three, DOUBLE, new Seed(6));
            Pass together = layer.forward(batch, Phase.inference());
            Tensor G =
                    new Seed(7).normal(DOUBLE, together.output().sizes().vec().get());
            Tensor gradients = together.backward(G);
            for (int i = 0; i < 3; i++) {
                Pass alone = layer.forward(batch.narrow(0, i, 1), Phase.inference());
                Tensor gradient = alone.backward(G.narrow(0, i, 1));
                assertThat(distance(alone.output(), together.output().narrow(0, i, 1)))
                        .isLessThan(1e-12);
                assertThat(distance(gradient, gradients.narrow(0, i, 1))).isLessThan(1e-12);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("everyLayer")
    void gradients_of_parameters_add_up_over_passes(LayerCase layerCase) {
        Size size = new Size(4, 5, 2);
        try (Layer layer = layerCase.layers().make(size, DOUBLE, new Seed(8))) {
            Tensor input = layerCase.inputs().make(size, DOUBLE, new Seed(9));
            Pass first = layer.forward(input, Phase.inference());
            Pass second = layer.forward(input, Phase.inference());
            first.backward(first.output());
            List<Tensor> once = layer.parameters().stream()
                    .map(parameter -> parameter.gradient().clone())
                    .toList();
            second.backward(second.output());
            for (int i = 0; i < once.size(); i++) {
                Tensor twice = layer.parameters().get(i).gradient();
                assertThat(distance(twice, once.get(i).mul(scalar(2.0)))).isLessThan(1e-12);
            }
        }
    }

    private static double distance(Tensor a, Tensor b) {
        return a.sub(b).norm().item_double() / Math.max(1, b.norm().item_double());
    }
}
