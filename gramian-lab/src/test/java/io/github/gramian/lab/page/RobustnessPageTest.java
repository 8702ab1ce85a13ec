package io.github.gramian.lab.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.lab.grid.RobustnessResult;
import io.github.gramian.lab.grid.RunResult;
import java.util.List;
import org.junit.jupiter.api.Test;

class RobustnessPageTest {

    private static RobustnessResult result(String method, List<String> fitted, String clean, String... correct) {
        return new RobustnessResult(
                new RunResult.Cell("small", method, "The " + method, "drawn", 1, 1),
                "abc",
                fitted,
                clean,
                List.of(
                        new RobustnessResult.Corrupted("fog", 3, correct[0]),
                        new RobustnessResult.Corrupted("snow", 3, correct[1])));
    }

    private static String page(RobustnessResult... results) {
        return RobustnessPage.of(List.of(results), "gramian tables results/", DatasetTitles.none());
    }

    @Test
    void rows_are_sorted_by_the_mean_and_compared_with_kernel_and_average() {
        String page = page(
                result("average", List.of(), "1111111100", "1111000000", "1111110000"),
                result("kernel", List.of(), "1111111110", "1111110000", "1111111100"),
                result("copies", List.of("fog"), "1111111111", "1111111111", "1111111110"));
        assertThat(page)
                .contains("10 test images, 2 corruptions, severity 3.")
                .contains("| method | clean | corrupted | 95 % | minus The kernel | minus The average |"
                        + " fitted types | other types |")
                .contains("| The copies | 100.0 | 95.0 |")
                .contains("| The kernel | 90.0 | 70.0 |", "| – | **+20.0 (", "| 60.0 | 80.0 |")
                .contains("| The average | 80.0 | 50.0 |")
                .contains("Fitted types: `fog`.")
                .contains("| `snow` | 90.0 | 80.0 | 60.0 |");
        assertThat(page.indexOf("| The copies")).isLessThan(page.indexOf("| The kernel"));
    }

    @Test
    void copies_of_an_image_are_drawn_together() {
        // Both corruptions spoil the same half of the images: twice the copies do not make the interval narrower.
        RobustnessResult row = result("kernel", List.of(), "1111111111", "1111100000", "1111100000");
        assertThat(row.mean().mean()).isEqualTo(0.5);
        assertThat(row.mean().upper() - row.mean().lower()).isGreaterThan(0.5);
    }

    @Test
    void unfinished_evaluations_are_not_compared() {
        RobustnessResult kernel = result("kernel", List.of(), "1111111110", "1111110000", "1111111100");
        RobustnessResult half = new RobustnessResult(
                new RunResult.Cell("small", "average", "The average", "drawn", 1, 1),
                "abc",
                List.of(),
                "1111111110",
                kernel.corruptions().subList(0, 1));
        assertThat(page(kernel, half)).contains("not evaluated on the same images");
    }
}
