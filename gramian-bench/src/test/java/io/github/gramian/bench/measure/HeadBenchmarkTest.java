package io.github.gramian.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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
}
