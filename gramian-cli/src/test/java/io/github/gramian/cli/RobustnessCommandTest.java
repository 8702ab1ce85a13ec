package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code gramian evaluate --corruptions}, on a model that was trained in seconds. */
class RobustnessCommandTest {

    @TempDir
    private Path own;

    private static Path run = Path.of("");

    @BeforeAll
    static void train_a_model() {
        run = DemoRun.trained().run();
    }

    @Test
    void robustness_is_the_accuracy_on_corrupted_images() throws IOException {
        Path out = own.resolve("robust");
        CommandRun text = gramian(
                        "evaluate",
                        run,
                        "--corruptions",
                        "fog,contrast",
                        "--severities",
                        "1,5",
                        "--out",
                        out,
                        "--quiet")
                .succeeded();
        assertThat(text.out())
                .startsWith("test: accuracy")
                .contains("corruption              1      5   mean   loss", "\nfog  ", "\ncontrast  ", "\nmean  ")
                .contains("robustness: clean ", " points (6 images)");
        JsonNode written = new ObjectMapper().readTree(Files.readString(out.resolve("robustness.json")));
        JsonNode printed = gramian("evaluate", run, "--corruptions", "fog,contrast", "--severities", "1,5", "--json")
                .succeeded()
                .json();
        assertThat(printed.get("corruptions"))
                .isEqualTo(written.get("corruptions"))
                .hasSize(4);
        assertThat(printed.at("/corruptions/1/name").asText()).isEqualTo("fog");
        assertThat(printed.at("/corruptions/1/severity").asInt()).isEqualTo(5);
        double sum = 0;
        for (JsonNode cell : printed.get("corruptions")) {
            sum += cell.get("accuracy").asDouble();
        }
        assertThat(printed.get("mean").asDouble()).isCloseTo(sum / 4, within(1e-9));
        assertThat(printed.get("loss").asDouble())
                .isCloseTo(printed.get("clean").asDouble() - sum / 4, within(1e-9));
        assertThat(gramian("evaluate", run, "--corruptions", "fog", "--severities", "2", "--csv")
                        .succeeded()
                        .out())
                .matches("corruption,severity,accuracy\nclean,0,[01]\\.\\d{6}\nfog,2,[01]\\.\\d{6}\n");
    }

    @Test
    void the_report_of_an_evaluation_shows_a_chart_per_corruption() throws IOException {
        Path out = own.resolve("reported");
        gramian("evaluate", run, "--corruptions", "fog,motion_blur", "--severities", "1,5", "--out", out, "--quiet")
                .succeeded();
        gramian("report", out).succeeded();
        String page = Files.readString(out.resolve("report.html"));
        assertThat(page)
                .contains("<section id=\"robustness\"><h2>Robustness</h2>")
                .contains("<td>fog</td><td>1</td>", "<td>motion blur</td><td>5</td>", "data-draw=\"robustness\"")
                .contains("4 corruptions and severities, 6 images");
        Files.writeString(out.resolve("robustness.json"), "{\"clean\": 2, \"corruptions\": [{\"name\": \"<b>\"}]}");
        gramian("report", out).succeeded();
        assertThat(Files.readString(out.resolve("report.html")))
                .doesNotContain("id=\"robustness\"")
                .contains("robustness.json does not have the expected content");
    }

    @Test
    void incorrect_options_of_robustness_are_refused_with_advice() {
        gramian("evaluate", run, "--corruptions", "frost").refused(2, "unknown corruption 'frost'", "ice");
        gramian("evaluate", run, "--corruptions", "--severities", "6").refused(2, "must lie in 1..5 but is 6");
        gramian("evaluate", run, "--corruptions", "fog", "--severities", "low").refused(2, "such as 1,3,5, not 'low'");
        gramian("evaluate", run, "--severities", "1").refused(2, "--severities needs --corruptions");
        gramian("evaluate", run, "--csv").refused(2, "--csv needs --corruptions");
    }
}
