package io.github.gramian.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.internal.Rounds.Timing;
import io.github.gramian.tensor.Precision;
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
                threads,
                Precision.FLOAT);
    }

    @Test
    void each_cell_is_its_formula() {
        CostTable table = new CostTable(path(100, 2), new OneCore.Measured(path(50, 1)));
        assertThat(table.measured())
                .contains(
                        "| predict a single image, everything loaded | 40 ms | 40 ms |",
                        "| predict from JPEG files, images per second | 50 | 100 |");
        assertThat(table.calculated())
                .contains("| 10⁴ | 3.3 min | 1.7 min | 10 s | 10 s | 2.0 GB |")
                .anyMatch(line -> line.startsWith("| 10⁹ | 231 days | 116 days |"));
    }

    @Test
    void what_was_not_measured_is_marked() {
        CostTable table = new CostTable(path(100, 2), new OneCore.Unknown("no time"));
        assertThat(table.measured().subList(2, 5)).allMatch(line -> line.contains("| not measured |"));
        assertThat(table.calculated().subList(2, 5)).allMatch(line -> line.contains("| not measured |"));
    }

    @Test
    void only_measured_machines_have_a_column() {
        assertThat(new CostTable(path(100, 2), new OneCore.Measured(path(50, 1)))
                        .measured()
                        .get(0))
                .isEqualTo("| what | 1 core | 2 threads |");
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
