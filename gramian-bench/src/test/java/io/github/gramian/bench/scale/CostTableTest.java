package io.github.gramian.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.internal.Rounds.Timing;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CostTableTest {

    private static PathBenchmark.Result path(double rate, int threads) {
        return new PathBenchmark.Result(
                List.of(new PathBenchmark.Point(10, new Timing(1, 1, 1), 5)),
                new PowerLaw(1, 0, 1),
                rate,
                40,
                300,
                1000,
                200_704,
                threads);
    }

    @Test
    void each_cell_is_its_formula() {
        List<String> lines = new CostTable(path(100, 2), new OneCore.Measured(path(50, 1))).lines();
        assertThat(lines.get(0)).contains("this machine (2 threads)");
        assertThat(lines.get(2)).startsWith("| predict 1 image | 40 ms | 40 ms | measured: a single image, warm |");
        assertThat(lines.get(3))
                .startsWith("| predict 10⁴ images | 3.3 min | 1.7 min | calculated: n / measured images per second |");
        assertThat(lines.get(5)).startsWith("| predict 10⁹ images | 231 days | 116 days | calculated");
        assertThat(lines.get(9)).contains("cache the features of 10⁴ images | 2.0 GB");
    }

    @Test
    void what_was_not_measured_is_marked() {
        assertThat(new CostTable(path(100, 2), new OneCore.Unknown("no time")).lines())
                .filteredOn(line -> line.startsWith("| predict") || line.startsWith("| train"))
                .hasSize(7)
                .allMatch(line -> line.contains("| not measured |"));
    }

    @Test
    void only_measured_machines_have_a_column() {
        assertThat(new CostTable(path(100, 2), new OneCore.Measured(path(50, 1)))
                        .lines()
                        .get(0))
                .isEqualTo("| what | 1 core | this machine (2 threads) | how |");
    }

    @ParameterizedTest
    @CsvSource({
        "0.0123, 12 ms",
        "0.0005, 0.50 ms",
        "59, 59 s",
        "100, 1.7 min",
        "7200, 2.0 h",
        "1e6, 12 days",
        "1e9, 32 years"
    })
    void seconds_are_printed_in_the_unit_that_fits(double seconds, String printed) {
        assertThat(Quantities.seconds(seconds)).isEqualTo(printed);
    }
}
