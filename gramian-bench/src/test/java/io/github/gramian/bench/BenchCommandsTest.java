package io.github.gramian.bench;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.backbone.Architecture;
import io.github.gramian.cli.CommandRun;
import io.github.gramian.recipe.internal.SyntheticModel;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchCommandsTest {

    @TempDir
    private Path folder;

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

    @Tag("slow")
    @Test
    void each_precision_is_measured_with_each_batch() throws IOException {
        Path model = folder.resolve("model.gramian");
        new SyntheticModel(Architecture.RESNET18, List.of("a", "b"), new Seed(1)).write(model);
        JsonNode found = gramian(
                        "bench",
                        "inference",
                        model,
                        "--precision",
                        "float,bfloat16",
                        "--batch",
                        "1,2",
                        "--images",
                        2,
                        "--rounds",
                        1,
                        "--json")
                .succeeded()
                .json();
        assertThat(found).hasSize(4);
        assertThat(found.get(1).path("batch").asInt()).isEqualTo(2);
        assertThat(found.get(2).path("precision").asText()).isEqualTo("BFLOAT16");
        found.forEach(one -> assertThat(one.path("limitShare").asDouble()).isBetween(1e-4, 2.0));
        found.forEach(one -> assertThat(one.path("imagesPerSecond").asDouble())
                .isCloseTo(2e3 / one.path("round").path("median").asDouble(), within(1e-9)));
    }

    @Test
    void a_batch_larger_than_a_round_is_refused() {
        gramian("bench", "inference", "none.gramian", "--batch", "64").refused(2, "1 to 32 images");
    }
}
