package io.github.gramian.eval.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PairedComparisonTest {

    private static List<Double> values(double... values) {
        return DoubleStream.of(values).boxed().toList();
    }

    /** So many images that only the first, only the second, and both models predict correctly. */
    private static PairedRun run(String images, int onlyFirst, int onlySecond, int both) {
        List<Boolean> first = new ArrayList<>();
        List<Boolean> second = new ArrayList<>();
        for (int i = 0; i < onlyFirst + onlySecond + both; i++) {
            first.add(i < onlyFirst || i >= onlyFirst + onlySecond);
            second.add(i >= onlyFirst);
        }
        return new PairedRun(images, first, second);
    }

    @Test
    void the_spread_is_that_of_a_sample() {
        Spread spread = Spread.of(values(2, 4, 4, 4, 5, 5, 7, 9));
        assertThat(spread.mean()).isEqualTo(5);
        assertThat(spread.deviation()).isCloseTo(Math.sqrt(32.0 / 7), within(1e-15));
        assertThat(Spread.of(values(3)).deviation()).isNaN();
        assertThatThrownBy(() -> Spread.of(List.of())).hasMessageContaining("at least one");
    }

    @Test
    void wilcoxon_on_darwins_maize() {
        // heights of crossed minus self-fertilised plants, in eighths of an inch; W = 24 of 120, p = 2 · 676 / 2^15
        WilcoxonSignedRank test =
                WilcoxonSignedRank.of(values(49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48));
        assertThat(test.pairs()).isEqualTo(15);
        assertThat(test.positive()).isEqualTo(96);
        assertThat(test.p()).isEqualTo(1352 / 32768.0);
    }

    @Test
    void ties_share_their_rank_and_pairs_without_a_difference_are_left_out() {
        // doubled ranks 4, 4, 4, 8: of 16 signs, one gives the sum 0 and three give 4
        WilcoxonSignedRank test = WilcoxonSignedRank.of(values(1, 0, 1, -1, 2, 0));
        assertThat(test.pairs()).isEqualTo(4);
        assertThat(test.positive()).isEqualTo(8);
        assertThat(test.p()).isEqualTo(0.5);
        assertThat(WilcoxonSignedRank.of(values(0, 0)).p()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5, 10, 25})
    void all_on_one_side_is_the_least_p_there_is(int pairs) {
        List<Double> differences = new ArrayList<>();
        for (int i = 1; i <= pairs; i++) {
            differences.add(-i / 7.0);
        }
        assertThat(WilcoxonSignedRank.of(differences).p()).isEqualTo(2 / Math.pow(2, pairs));
    }

    @Test
    void many_pairs_are_close_to_the_exact_distribution() {
        // 26 pairs with every third negative: the sum of their ranks is 100 of 351; z = (75.5 − 0.5) / √1550.25
        List<Double> differences = new ArrayList<>();
        for (int i = 1; i <= 26; i++) {
            differences.add(i % 3 == 0 ? -(double) i : i);
        }
        WilcoxonSignedRank test = WilcoxonSignedRank.of(differences);
        assertThat(test.positive()).isEqualTo(351 - 108);
        double z = (243 - 175.5 - 0.5) / Math.sqrt(26 * 27 * 53 / 24.0);
        assertThat(test.p()).isCloseTo(2 * Normal.upperTail(z), within(1e-12));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0.5",
        "1, 0.15865525393145707",
        "1.959963984540054, 0.025",
        "4, 3.167124183311986e-05",
        "6, 9.865876450376946e-10"
    })
    void the_normal_tail(double z, double expected) {
        assertThat(Normal.upperTail(z)).isCloseTo(expected, within(1e-10 * expected));
    }

    @Test
    void models_that_never_differ_differ_by_nothing() {
        PairedComparison same = PairedComparison.of(List.of(run("a", 0, 0, 9), run("b", 0, 0, 5)), 1);
        assertThat(same.bootstrap()).isEqualTo(new PairedBootstrap(0, 0, 0));
        assertThat(same.wilcoxon().p()).isEqualTo(1);
        assertThat(same.pooled().p()).isEqualTo(1);
        assertThat(same.significant()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void the_interval_of_one_split_is_that_of_its_images(long seed) {
        // 1,000 images, 60 gained and 20 lost: sd = √((0.08 − 0.04²) / 1000)
        PairedBootstrap interval = PairedBootstrap.of(List.of(run("a", 20, 60, 920)), seed);
        double deviation = Math.sqrt((0.08 - 0.0016) / 1000);
        assertThat(interval.difference()).isCloseTo(0.04, within(1e-12));
        assertThat(interval.lower()).isCloseTo(0.04 - 1.96 * deviation, within(0.002));
        assertThat(interval.upper()).isCloseTo(0.04 + 1.96 * deviation, within(0.002));
        assertThat(PairedBootstrap.of(List.of(run("a", 20, 60, 920)), seed)).isEqualTo(interval);
    }

    @Test
    void another_seed_on_the_same_images_narrows_nothing() {
        PairedRun one = run("a", 20, 60, 920);
        PairedBootstrap alone = PairedBootstrap.of(List.of(one), 1);
        PairedBootstrap repeated = PairedBootstrap.of(Collections.nCopies(9, one), 1);
        assertThat(repeated.upper() - repeated.lower()).isCloseTo(alone.upper() - alone.lower(), within(0.003));
        PairedComparison comparison = PairedComparison.of(Collections.nCopies(9, one), 1);
        assertThat(comparison.pooled()).isEqualTo(McNemar.ofCounts(20, 60));
        assertThat(comparison.significant()).isEqualTo(9);
        assertThat(comparison.runs()).isEqualTo(9);
    }

    @Test
    void splits_are_pooled_and_different_splits_widen_the_interval() {
        List<PairedRun> runs = Arrays.asList(run("a", 0, 100, 900), run("b", 100, 0, 900));
        PairedComparison comparison = PairedComparison.of(runs, 1);
        assertThat(comparison.pooled()).isEqualTo(McNemar.ofCounts(100, 100));
        assertThat(comparison.bootstrap().lower()).isLessThan(-0.09);
        assertThat(comparison.bootstrap().upper()).isGreaterThan(0.09);
    }

    @Test
    void models_that_saw_different_images_are_refused() {
        assertThatThrownBy(() -> new PairedRun("a", List.of(true), List.of(true, false)))
                .hasMessageContaining("1 and 2");
        assertThatThrownBy(() -> PairedBootstrap.of(List.of(), 1)).hasMessageContaining("same splits");
        assertThatThrownBy(() -> WilcoxonSignedRank.of(values(Double.NaN))).hasMessageContaining("not a number");
    }
}
