package io.github.gramian.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CommandsTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine commandLine = Gramian.commandLine();
        commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return commandLine.execute(arguments);
    }

    @Tag("slow")
    @Test
    void doctor_reports_a_healthy_installation_as_json() throws Exception {
        assertThat(run("doctor", "--json")).isZero();
        JsonNode report = new ObjectMapper().readTree(out.toString());
        assertThat(report.get("healthy").asBoolean()).isTrue();
        assertThat(report.get("gradientError").asDouble()).isBetween(0.0, 1e-7);
        assertThat(report.get("stiefelError").asDouble()).isBetween(0.0, 1e-5);
        assertThat(report.at("/gemmGflops/fp32").asDouble()).isPositive();
        assertThat(report.at("/gemmGflops/bf16").asDouble()).isPositive();
        assertThat(report.at("/engine/version").asText()).startsWith("2.");
    }

    @Tag("slow")
    @Test
    void doctor_prints_lines_for_people() {
        assertThat(run("doctor")).isZero();
        assertThat(out.toString())
                .contains("LibTorch 2.")
                .contains("GFLOP/s")
                .endsWith("healthy" + System.lineSeparator());
    }

    @Test
    void only_the_command_that_the_first_word_names_is_read() {
        assertThat(Gramian.commandLine("predict", "bench").getSubcommands()).containsOnlyKeys("predict");
        int all = Gramian.commandLine().getSubcommands().size();
        for (String word : new String[] {"--debug", "--help", "completion", "no-such-command"}) {
            assertThat(Gramian.commandLine(word, "predict").getSubcommands())
                    .as(word)
                    .hasSize(all);
        }
    }

    @Test
    void a_number_that_is_not_decimal_is_refused() {
        for (String number : new String[] {"0x1p-3", "0.5d", "NaN", " 0.5"}) {
            assertThat(run("predict", "run", "photo.jpg", "--coverage", number)).isEqualTo(2);
            assertThat(err.toString()).contains("'" + number + "' is not a decimal number, such as 0.05");
        }
    }

    @Test
    void help_is_there() {
        assertThat(run("predict", "--help")).isZero();
        assertThat(out.toString()).contains("gramian").contains("Examples:");
    }

    @Test
    void the_version_names_commit_java_and_engines() {
        assertThat(run("--version")).isZero();
        String version = out.toString();
        assertThat(version.lines())
                .satisfiesExactly(
                        gramian -> assertThat(gramian)
                                .matches("gramian \\S+ \\(commit (\\p{XDigit}{10}( with changes)?|unknown)\\)"),
                        java -> assertThat(java)
                                .startsWith("Java " + Runtime.version().feature()),
                        torch -> assertThat(torch).matches("LibTorch 2\\..+"),
                        onnx -> assertThat(onnx).matches("ONNX Runtime(: not installed| 1\\..+)"));
        out.getBuffer().setLength(0);
        assertThat(run("model", "show", "--version")).isZero();
        assertThat(out).hasToString(version);
    }
}
