package io.github.gramian.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.search.SearchOptions.Preference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the options of a search mean for a caller. */
class SearchTest {

    private static final String SPACE = """
            name: small
            common:
              stage1: {epochs: 0}
              data: {validation: 0.25}
              backbone: {precision: float}
              views: {margin: 1}
            inputs:
              near: {label: 48 px, branches: [{tap: last, size: 48}]}
            heads:
              average: {label: Average, branches: [{convolution: 0, aggregator: average, descriptor: {powerEpsilon: -1}}]}
            """;

    @TempDir
    Path folder;

    @Test
    void a_search_for_corrupted_images_reports_the_accuracy_on_them() throws IOException {
        SmallRuns drawn = SmallRuns.in(folder);
        Path space = Files.writeString(folder.resolve("space.yaml"), SPACE);
        Search search = Search.of(drawn.images(), drawn.weights());
        SearchOptions options = SearchOptions.trials(1).in(space);
        Search.Result clean = search.with(options).into(folder.resolve("clean"));
        Search.Result robust = search.with(options.forCorruptedImages()).into(folder.resolve("robust"));
        assertThat(robust.candidate()).isEqualTo(clean.candidate()).isEqualTo("average@near");
        assertThat(robust.foldAccuracy()).isLessThan(clean.foldAccuracy());
        assertThat(robust.folder().resolve("model.gramian")).exists();
    }

    @Test
    void options_are_values() {
        SearchOptions first = SearchOptions.within(Duration.ofMinutes(2));
        SearchOptions second = first.preferring(Preference.SMALL).forCorruptedImages();
        assertThat(first).isEqualTo(new SearchOptions(Duration.ofMinutes(2), 0, Preference.BALANCED, false, null));
        assertThat(second).isEqualTo(new SearchOptions(Duration.ofMinutes(2), 0, Preference.SMALL, true, null));
    }

    @Test
    void a_search_without_trials_is_refused() {
        assertThatThrownBy(() -> SearchOptions.trials(0)).hasMessageContaining("at least 1 trial");
    }
}
