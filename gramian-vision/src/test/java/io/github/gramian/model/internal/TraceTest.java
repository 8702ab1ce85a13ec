package io.github.gramian.model.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.layer.Fidelity;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TraceTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private final Scope scope = Scope.open();
    private final Tensor maps = new Seed(1).normal(DOUBLE, 2, 6, 9);

    @AfterEach
    void free() {
        scope.close();
    }

    private static BranchConfig branch(int convolution, boolean rectify, List<TransformConfig> transforms) {
        return new BranchConfig(
                "a",
                32,
                convolution,
                rectify,
                new AggregatorConfig.SpdMatrix(AggregationConfig.standard(Fidelity.EXACT), transforms),
                DescriptorConfig.standard(Fidelity.EXACT));
    }

    @Test
    void every_transformation_comes_with_its_own_activation() {
        TransformConfig rectified =
                new TransformConfig(4, Stiefel.paper(), new TransformConfig.Activation.ElementwiseRelu());
        try (Branch branch =
                new Branch("", branch(5, true, List.of(rectified, TransformConfig.to(3))), 6, DOUBLE, new Seed(2))) {
            Trace trace = branch.trace(maps);
            assertThat(trace.compared().size(1)).isEqualTo(5);
            assertThat(trace.compared().min().item_double()).isZero();
            assertThat(trace.kernel().orElseThrow().size(1)).isEqualTo(5);
            assertThat(trace.transforms())
                    .extracting(one -> one.matrices().size(1))
                    .containsExactly(4L, 3L);
            Trace.Transformed first = trace.transforms().get(0);
            assertThat(first.activated().orElseThrow().equal(first.matrices().relu()))
                    .isTrue();
            assertThat(branch.transforms()).hasSize(2);
            Tensor reaching = branch.inputOf(branch.transforms().get(1), maps);
            assertThat(reaching.equal(first.activated().orElseThrow())).isTrue();
        }
    }

    @Test
    void without_a_convolution_the_maps_themselves_are_compared() {
        try (Branch branch = new Branch("", branch(0, false, List.of()), 6, DOUBLE, new Seed(2))) {
            Trace trace = branch.trace(maps);
            assertThat(trace.compared().equal(maps)).isTrue();
            assertThat(trace.transforms()).isEmpty();
            assertThat(branch.convolution()).isEmpty();
            assertThat(branch.fitted()).isEmpty();
        }
    }

    @Test
    void an_average_has_no_kernel() {
        try (Branch branch = new Branch("", BranchConfig.average("a", 32), 6, DOUBLE, new Seed(2))) {
            assertThat(branch.trace(maps).kernel()).isEmpty();
            assertThat(branch.kernel()).isEmpty();
        }
    }
}
