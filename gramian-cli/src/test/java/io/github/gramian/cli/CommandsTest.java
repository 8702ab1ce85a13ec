package io.github.gramian.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
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

    @Test
    void doctor_prints_lines_for_people() {
        assertThat(run("doctor")).isZero();
        assertThat(out.toString())
                .contains("LibTorch 2.")
                .contains("GFLOP/s")
                .endsWith("healthy" + System.lineSeparator());
    }

    @Test
    void bench_head_measures_ratios() throws Exception {
        int code = run(
                "bench",
                "head",
                "--channels",
                "32",
                "--output",
                "16",
                "--positions",
                "20",
                "--batch",
                "4",
                "--rounds",
                "5",
                "--product",
                "256",
                "--json");
        assertThat(code).isZero();
        JsonNode result = new ObjectMapper().readTree(out.toString());
        for (String field :
                new String[] {"oursMillis", "autogradMillis", "limitMillis", "ratioToAutograd", "shareOfLimit"}) {
            assertThat(result.get(field).asDouble()).as(field).isPositive();
        }
    }

    @Test
    void bench_head_prints_a_table_for_people() {
        assertThat(run(
                        "bench",
                        "head",
                        "--channels",
                        "16",
                        "--output",
                        "8",
                        "--positions",
                        "9",
                        "--batch",
                        "2",
                        "--rounds",
                        "1",
                        "--product",
                        "64"))
                .isZero();
        assertThat(out.toString()).contains("hand-written").contains("× the time of autograd");
    }

    @Test
    void a_wrong_option_ends_with_2_and_the_usage() {
        assertThat(run("bench", "head", "--chanels", "3")).isEqualTo(2);
        assertThat(err.toString()).contains("--chanels").contains("--channels");
    }

    @Test
    void an_impossible_setting_is_one_line_that_says_what_to_do_and_debug_adds_the_trace() {
        assertThat(run("bench", "head", "--channels", "8", "--output", "9")).isEqualTo(2);
        assertThat(err.toString().strip())
                .isEqualTo("gramian: transform.outputDim must lie in 1..8 but is 9; lower it in the recipe");
        assertThat(run("bench", "head", "--channels", "8", "--output", "9", "--debug"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("IllegalArgumentException").contains("at io.github.gramian");
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
    void options_of_all_commands_may_stand_in_front() {
        assertThat(CommandRun.gramian("--debug", "bench", "head", "--channels", "8", "--output", "9")
                        .err())
                .contains("IllegalArgumentException");
        assertThat(CommandRun.gramian("predct").err()).contains("predct", "gramian predict");
    }

    @Test
    void version_and_help_are_there() {
        assertThat(run("--version")).isZero();
        assertThat(run("bench", "head", "--help")).isZero();
        assertThat(out.toString()).contains("gramian").contains("Examples:");
    }
}
