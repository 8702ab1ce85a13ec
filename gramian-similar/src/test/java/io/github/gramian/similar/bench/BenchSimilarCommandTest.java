package io.github.gramian.similar.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.json.internal.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class BenchSimilarCommandTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... more) {
        String[] few = {"--vectors", "300", "--queries", "20", "--dimensions", "16", "--candidates", "100"};
        return new CommandLine(new BenchSimilarCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(Stream.of(few, more).flatMap(Stream::of).toArray(String[]::new));
    }

    @Test
    void stages_are_named_and_searches_are_compared_with_exact_search() {
        assertThat(run()).isZero();
        assertThat(err.toString())
                .contains("adding: 300 of 300", "writing the index", "searching with 100 candidates")
                .as("all vectors are in one segment")
                .doesNotContain("merging");
        assertThat(out.toString()).contains("300 vectors of 16 dimensions", "recall at 10 1.0000");
    }

    @Test
    void json_has_no_progress() throws IOException {
        assertThat(run("--json")).isZero();
        assertThat(err.toString()).isEmpty();
        assertThat(Json.parse(out.toString()).path("searches")).hasSize(2);
    }
}
