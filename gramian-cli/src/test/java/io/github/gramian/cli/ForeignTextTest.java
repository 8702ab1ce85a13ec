package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.cli.model.PredictionFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Untrusted names neither control the terminal, nor forge lines, nor become formulas in spreadsheets. */
@DisabledOnOs(OS.WINDOWS) // has no such names
class ForeignTextTest {

    private static final String CLASS = "do\u001b[31mts\nwarning: none";
    private static final String NAME = "x\u001b[2J\nfake.png: stripes 100.0 %\u202e.png";
    private static final String SHOWN = "x\\u001b[2J\\nfake.png: stripes 100.0 %\\u202e.png";
    private static final String FORMULA = "=HYPERLINK(\"http:example.org\",\"a\").png";

    @TempDir
    static Path folder;

    private static Path run = Path.of("");

    @BeforeAll
    static void train_on_names_with_control_characters() throws IOException {
        DemoRun small = DemoRun.in(folder);
        run = folder.resolve("run");
        Files.move(small.photos().resolve("dots"), small.photos().resolve(CLASS));
        small.train(small.photos(), run).succeeded();
        Path photo = small.photos().resolve(CLASS).resolve("000.png");
        Files.copy(photo, folder.resolve(NAME));
        Files.copy(photo, folder.resolve(FORMULA));
        Files.writeString(folder.resolve("broken" + NAME), "no image");
    }

    private static void assertHarmless(String text, int lines) {
        assertThat(text).doesNotContain("\u001b", "\u202e");
        assertThat(text.lines()).hasSize(lines);
    }

    @Test
    void predictions_in_text_are_a_line_each() throws Exception {
        OwnProcess.End end = new OwnProcess(folder).run("predict", run, NAME, "broken" + NAME, "--top", 3, "--quiet");
        assertHarmless(end.out(), 2);
        assertThat(end.out()).startsWith(SHOWN + ": ").contains("do\\u001b[31mts\\nwarning: none ");
        assertThat(end.out()).contains("broken" + SHOWN + ": rejected: ");
    }

    @Test
    void predictions_in_json_have_the_exact_names() throws Exception {
        OwnProcess.End end =
                new OwnProcess(folder).run("predict", run, NAME, "--top", 3, "--quiet", "--format", "jsonl");
        assertHarmless(end.out(), 1);
        assertThat(new ObjectMapper().readTree(end.out()).get("file").asText()).isEqualTo(NAME);
        assertThat(new ObjectMapper().readTree(end.out()).get("top").findValuesAsText("class"))
                .contains(CLASS);
    }

    @Tag("long")
    @Test
    void cells_are_not_formulas() throws Exception {
        OwnProcess.End end = new OwnProcess(folder).run("predict", run, FORMULA, NAME, "--quiet", "--format", "csv");
        assertHarmless(end.out(), 3);
        assertThat(end.out().lines().toList().get(1))
                .startsWith("\"'=HYPERLINK(\"\"http:example.org\"\",\"\"a\"\").png\",");
        assertThat(List.of("-3", "+2.5e-3", "plain", "-x", "@SUM(1)", "\tx"))
                .map(PredictionFormat::quoted)
                .containsExactly("-3", "+2.5e-3", "plain", "'-x", "'@SUM(1)", "'\tx");
    }

    @Test
    void descriptions_of_models_and_datasets_are_escaped() {
        for (List<Object> words : List.<List<Object>>of(
                List.of("model", "show", run),
                List.of("model", "show", run, "--json"),
                List.of("evaluate", run, "--on", "all", "--quiet"),
                List.of("data", "inspect", "--root", folder.resolve("photos"), "--quiet"))) {
            CommandRun end = gramian(words.toArray()).succeeded();
            assertThat(end.out() + end.err()).as("%s", words).doesNotContain("\u001b", "\nwarning: none");
        }
    }

    @Test
    void errors_are_one_line_whatever_they_name() throws Exception {
        OwnProcess.End missing = new OwnProcess(folder).run("predict", "absent" + NAME, NAME);
        assertHarmless(missing.err(), 1);
        OwnProcess.End misused = new OwnProcess(folder).run("predict", run, "--top", "\u001b[31m");
        assertThat(misused.code()).isEqualTo(2);
        assertThat(misused.err()).contains("Invalid value for option '--top'").doesNotContain("\u001b");
        assertThat(gramian("predict", "absent" + NAME, NAME).err()).doesNotContain("\u001b");
    }
}
