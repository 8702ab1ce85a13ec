package io.github.gramian.cli.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.eval.internal.ClassMix;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DriftReportTest {

    private static final Map<String, Double> SHARES = Map.of("linen", 0.25, "wool", 0.75);

    private static DriftCommand.Report report(double pValue, Optional<ClassMix> mix, int rejected, int known) {
        return new DriftCommand.Report(new double[] {0.04, 0.2, 0.6, 0.9}, 0.01, rejected, known, pValue, SHARES, mix);
    }

    @Test
    void one_sentence_states_whether_the_images_fit() {
        assertThat(report(0.43, Optional.empty(), 0, 0).sentence())
                .isEqualTo("The 4 images fit the training images (p = 0.43).");
        assertThat(report(0.0004, Optional.empty(), 0, 0).sentence())
                .isEqualTo("The 4 images do not fit the training images (p = 0.00040).");
        assertThat(new DriftCommand.Report(new double[] {0.5}, 0.01, 0, 0, 0.5, SHARES, Optional.empty()).sentence())
                .isEqualTo("The image fits the training images (p = 0.50).");
    }

    @Test
    void a_report_states_what_it_cannot_know() {
        assertThat(report(0.5, Optional.empty(), 2, 3).lines())
                .containsExactly(
                        "The 4 images fit the training images (p = 0.50).",
                        "unusual images (novelty below 0.05): 25.0 %, where about 4 % are expected",
                        "classes: not compared, since only a run directory has predictions to compare with",
                        "warning: the model's training has used 3 of these images, which therefore look more usual"
                                + " than new ones",
                        "rejected: 2 files that cannot be read");
        ClassMix mix = new ClassMix(List.of(new ClassMix.Share("wool", 0.75, 0.5)), 0.001);
        assertThat(report(0.5, Optional.of(mix), 0, 0).lines())
                .contains(
                        "classes: predicted in other shares than for the test images of the run (p = 0.0010)",
                        "   75.0 % instead of  50.0 %  wool")
                .anyMatch(line -> line.endsWith("Without labels, Gramian cannot determine which."));
        assertThat(report(0.5, Optional.of(new ClassMix(mix.shares(), 0.3)), 0, 0)
                        .lines())
                .contains("classes: predicted in about the same shares as for the test images of the run (p = 0.30)")
                .hasSize(3);
    }

    @Test
    void a_report_states_that_few_calibration_images_give_no_low_novelty() {
        DriftCommand.Report report =
                new DriftCommand.Report(new double[] {0.1, 0.5}, 0.1, 0, 0, 0.5, SHARES, Optional.empty());
        assertThat(report.lines().get(1))
                .isEqualTo("unusual images (novelty below 0.05): not counted, since the model has so few calibration"
                        + " images that no novelty is below 0.10");
    }

    @ParameterizedTest
    @CsvSource({"1/1000, 5", "1/101, 5", "1/100, 4", "1/39, 3", "1/25, 4", "1/21, 5"})
    void the_expected_share_is_that_of_the_novelties_that_the_model_can_give(String smallest, String percent) {
        double value = 1.0 / Integer.parseInt(smallest.substring(2));
        DriftCommand.Report report =
                new DriftCommand.Report(new double[] {0.1, 0.5}, value, 0, 0, 0.5, SHARES, Optional.empty());
        assertThat(report.lines().get(1))
                .isEqualTo("unusual images (novelty below 0.05): 0.0 %, where about " + percent + " % are expected");
    }

    @Test
    void a_map_has_the_same_for_programs() {
        Map<String, Object> map = report(0.002, Optional.empty(), 1, 0).toMap();
        assertThat(map)
                .containsEntry("images", 4)
                .containsEntry("rejected", 1)
                .containsEntry("fits", false)
                .containsEntry("pValue", 0.002)
                .containsEntry("unusual", 0.25);
        assertThat(map.get("classes")).isEqualTo(Map.of("compared", false, "shares", SHARES));
    }
}
