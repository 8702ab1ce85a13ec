package io.github.gramian.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.bench.BenchHeadCommand.HeadBenchmark;
import io.github.gramian.layer.AutogradComparison;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.model.Head;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.HeadConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class HeadBenchmarkTest {

    @Tag("slow")
    @Test
    void the_head_benchmark_compares_ours_autograd_and_the_limit() {
        HeadBenchmark benchmark = new HeadBenchmark(24, 12, 30, 4, 5, 128);
        HeadBenchmark.Result result = benchmark.run();
        assertThat(result.ratioToAutograd()).isCloseTo(result.oursMillis() / result.autogradMillis(), within(1e-12));
        assertThat(result.shareOfLimit()).isCloseTo(result.limitMillis() / result.oursMillis(), within(1e-12));
        assertThat(result.ours().fastest()).isLessThanOrEqualTo(result.ours().slowest());
    }

    @Test
    void the_products_of_the_paper_s_head_take_one_and_a_half_gigaflops_per_image() {
        assertThat(HeadBenchmark.flopsOfImage(512, 512, 196)).isCloseTo(1.55e9, within(0.01e9));
    }

    @Test
    void at_full_size_in_float_the_closed_form_agrees_with_autograd() {
        Placement placement = Placement.cpu(Precision.FLOAT);
        HeadConfig config = HeadConfig.standard(512, 0, 512, 2, Fidelity.EXACT)
                .withAggregation(AggregationConfig.standard(Fidelity.PAPER));
        try (Head head = new Head(config, placement, new Seed(1));
                PlainHead plain = new PlainHead(512, config.descriptor().powerEpsilon(), placement)) {
            Tensor M = new Seed(2).normal(placement, 2, 512, 196).relu_();
            AutogradComparison comparison =
                    AutogradComparison.of(head.descriptor(), M, (x, p) -> plain.descriptor(x, p.get(0)), new Seed(3));
            assertThat(comparison.worstError()).isLessThanOrEqualTo(1e-4);
        }
    }
}
