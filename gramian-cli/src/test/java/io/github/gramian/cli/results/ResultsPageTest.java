package io.github.gramian.cli.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.experiment.Results;
import io.github.gramian.experiment.RunResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class ResultsPageTest {

    private static final Path PAGES = Path.of("..", "docs", "results");

    @Test
    void the_committed_tables_are_those_of_the_committed_results() throws IOException {
        Path raw = PAGES.resolve("raw");
        Assumptions.assumeTrue(Files.isDirectory(raw), "there are no results yet");
        Map<String, String> files =
                ResultsPage.of(Results.read(List.of(raw)), null, "gramian tables docs/results/raw --out docs/results");
        for (Map.Entry<String, String> file : files.entrySet()) {
            assertThat(PAGES.resolve(file.getKey())).content().isEqualTo(file.getValue());
        }
    }

    /** A stratified share is rounded in every class, so it may be off by an image a class. */
    @Test
    void what_passports_say_of_validation_images_agrees_with_their_counts() throws IOException {
        Pattern carved = Pattern.compile("val ([0-9.]+) of train");
        int mostClasses = 47;
        for (RunResult run : Results.read(List.of(PAGES.resolve("raw"))).runs()) {
            Matcher share = carved.matcher(run.passport().protocol());
            if (share.find()) {
                int validating = Objects.requireNonNull(run.passport().counts().get("val"));
                int labelled = validating
                        + Objects.requireNonNull(run.passport().counts().get("train"));
                assertThat((double) validating)
                        .as(run.passport().toString())
                        .isCloseTo(Double.parseDouble(share.group(1)) * labelled, within((double) mostClasses));
            }
        }
    }

    @Test
    void published_figures_name_where_they_come_from() throws IOException {
        assertThat(Published.all()).hasSizeGreaterThan(60).allSatisfy(figure -> {
            assertThat(figure.name()).isNotBlank();
            assertThat(figure.source()).isNotBlank();
            assertThat(figure.protocol()).isNotBlank();
            assertThat(figure.percent()).isBetween(1.0, 100.0);
            assertThat(figure.datasets()).isNotEmpty();
        });
        assertThat(Published.all().get(0).cell())
                .isEqualTo("67.3 (VGG-16; the paper, Table 1; 47 classes; other protocol)");
    }
}
