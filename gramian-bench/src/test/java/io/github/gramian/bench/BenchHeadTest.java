package io.github.gramian.bench;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.cli.CommandRun;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class BenchHeadTest {

    private String out = "";
    private String err = "";

    private int run(String... words) {
        CommandRun run = gramian(Arrays.copyOf(words, words.length, Object[].class));
        out = run.out();
        err = run.err();
        return run.exitCode();
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
        JsonNode result = new ObjectMapper().readTree(out);
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
        assertThat(out).contains("hand-written").contains("× the time of autograd");
    }

    @Test
    void a_wrong_option_ends_with_2_and_the_usage() {
        assertThat(run("bench", "head", "--chanels", "3")).isEqualTo(2);
        assertThat(err).contains("--chanels").contains("--channels");
    }

    @Test
    void an_impossible_setting_is_one_line_with_a_fix_and_debug_adds_the_trace() {
        assertThat(run("bench", "head", "--channels", "8", "--output", "9")).isEqualTo(2);
        assertThat(err.strip())
                .isEqualTo("gramian: transform.outputDim must lie in 1..8 but is 9; lower it in the recipe");
        assertThat(run("bench", "head", "--channels", "8", "--output", "9", "--debug"))
                .isEqualTo(2);
        assertThat(err).contains("IllegalArgumentException").contains("at io.github.gramian");
    }

    @Test
    void options_of_all_commands_may_come_first() {
        assertThat(CommandRun.gramian("--debug", "bench", "head", "--channels", "8", "--output", "9")
                        .err())
                .contains("IllegalArgumentException");
        assertThat(CommandRun.gramian("predct").err()).contains("predct", "gramian predict");
    }
}
