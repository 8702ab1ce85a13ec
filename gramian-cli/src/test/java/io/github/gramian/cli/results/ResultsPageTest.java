package io.github.gramian.cli.results;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.experiment.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
