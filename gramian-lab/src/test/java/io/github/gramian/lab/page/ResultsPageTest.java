package io.github.gramian.lab.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.lab.grid.Results;
import io.github.gramian.lab.grid.RobustnessResult;
import io.github.gramian.lab.grid.RunResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The published results are read once. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ResultsPageTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path PAGES = Path.of("..", "docs", "results");
    private static final Path RAW = PAGES.resolve("raw");
    private static final String COMMAND = "gramian tables docs/results/raw --datasets docs/results/datasets.yaml"
            + " --findings docs/results/findings.md --out docs/results";

    private final Results committed;

    ResultsPageTest() throws IOException {
        committed = Results.read(List.of(RAW));
    }

    @Test
    void the_committed_tables_are_those_of_the_committed_results() throws IOException {
        Map<String, String> files = ResultsPage.of(
                committed,
                null,
                COMMAND,
                Files.readString(PAGES.resolve("findings.md")),
                DatasetTitles.parse(Files.readString(PAGES.resolve("datasets.yaml")), "datasets.yaml"));
        for (Map.Entry<String, String> file : files.entrySet()) {
            assertThat(PAGES.resolve(file.getKey())).content().isEqualTo(file.getValue());
        }
    }

    @Test
    void the_committed_page_on_robustness_is_that_of_the_committed_results() throws IOException {
        String page = RobustnessPage.of(
                RobustnessResult.readAll(List.of(RAW)),
                COMMAND,
                DatasetTitles.parse(Files.readString(PAGES.resolve("datasets.yaml")), "datasets.yaml"));
        assertThat(PAGES.resolve("robustness.md")).content().isEqualTo(page);
    }

    /** A stratified fraction is rounded in every class, so it may be off by an image a class. */
    @Test
    void protocols_agree_with_their_counts_of_validation_images() throws IOException {
        Pattern carved = Pattern.compile("val ([0-9.]+) of train");
        int maxClasses = 47;
        for (RunResult run : committed.runs()) {
            Matcher share = carved.matcher(run.passport().protocol());
            if (share.find()) {
                int validating = Objects.requireNonNull(run.passport().counts().get("val"));
                int labelled = validating
                        + Objects.requireNonNull(run.passport().counts().get("train"));
                assertThat((double) validating)
                        .as(run.passport().toString())
                        .isCloseTo(Double.parseDouble(share.group(1)) * labelled, within((double) maxClasses));
            }
        }
    }

    @Test
    void published_figures_name_where_they_come_from() throws IOException {
        assertThat(DatasetPage.Published.all()).hasSizeGreaterThan(60).allSatisfy(figure -> {
            assertThat(figure.name()).isNotBlank();
            assertThat(figure.source()).isNotBlank();
            assertThat(figure.protocol()).isNotBlank();
            assertThat(figure.percent()).isBetween(1.0, 100.0);
            assertThat(figure.datasets()).isNotEmpty();
        });
        assertThat(DatasetPage.Published.all().get(0).cell())
                .isEqualTo("67.3, not comparable (VGG-16; the paper, Table 1; 47 classes)");
    }

    /** A result that somebody sent, with other names in it. */
    private static Results hostile(Path folder, String dataset, String label) throws IOException {
        Path grid = RAW.resolve("views/dtd");
        ObjectNode result =
                (ObjectNode) JSON.readTree(grid.resolve("kernel/s1-r1.json").toFile());
        result.put("dataset", dataset);
        result.put("label", label);
        result.put("grid", label);
        ((ObjectNode) result.get("passport")).put("protocol", label).put("hardware", label);
        JSON.writeValue(folder.resolve("s1-r1.json").toFile(), result);
        try (Stream<Path> lists = Files.list(grid)) {
            for (Path list : lists.filter(Files::isRegularFile).toList()) {
                Files.copy(
                        list, folder.resolve(String.valueOf(list.getFileName())), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        return Results.read(List.of(folder));
    }

    @Test
    void labels_are_text_whatever_is_in_them(@TempDir Path folder) throws IOException {
        String label = "a|b<img src=x onerror=alert(1)>[c](javascript:alert(2))`d`\n\n# e &amp; \u202e\u001b\\|";
        Map<String, String> files =
                ResultsPage.of(hostile(folder, "dtd", label), null, "gramian `tables`\n# x", "", DatasetTitles.none());
        assertThat(files.get("README.md"))
                .contains("a\\|b&lt;img src=x onerror=alert(1)&gt;\\[c\\](javascript:alert(2))\\`d\\` # e &amp;amp; ")
                .contains("`gramian 'tables' # x`")
                .doesNotContain("<img", "<b>", "\n# e", "\n# x", "\u202e", "\u001b");
        assertThat(files.get("dtd.md"))
                .contains("a\\|b&lt;img src=x onerror=alert(1)&gt;")
                .doesNotContain("<img", "<b>", "\n# e", "\u202e", "\u001b");
        assertThat(files.get("dtd.svg")).doesNotContain("<img", "\u001b");
        assertThat(files.get("cost.svg")).doesNotContain("<img", "\u001b");
    }
}
