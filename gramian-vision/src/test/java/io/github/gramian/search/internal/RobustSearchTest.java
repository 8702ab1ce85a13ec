package io.github.gramian.search.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.image.corruption.internal.CorruptionType;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.search.SearchOptions.Preference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Searches for recipes that recognise corrupted images, on drawn textures with random weights. */
class RobustSearchTest {

    private static final String SPACE = """
        name: small
        common:
          stage1: {epochs: 0}
          data: {validation: 0.25}
          backbone: {precision: float}
          views: {margin: 1}
          initialisation: {convolution: pca}
        inputs:
          near: {label: 48 px, branches: [{tap: last, size: 48}]}
          copy:
            label: one copy
            branches: [{tap: last, size: 48}]
            recipe: {views: {copies: "corrupt:shot_noise,fog:1-5"}}
        heads:
          average: {label: Average, branches: [{convolution: 0, aggregator: average, descriptor: {powerEpsilon: -1}}]}
        """;

    @TempDir
    static Path folder;

    @SuppressWarnings("NullAway.Init") // drawn before all tests
    private static SmallRuns small;

    @BeforeAll
    static void draw() throws IOException {
        small = SmallRuns.in(folder);
    }

    private static SearchConfig config(String name, Objective objective) {
        return new SearchConfig(
                SearchSpace.parse(SPACE),
                List.of("data.images='" + small.manifest() + "'", "backbone.weights='" + small.weights() + "'"),
                new SearchConfig.Limit.Trials(10),
                objective,
                Preference.ACCURACY,
                small.path(name),
                folder.resolve("cache"));
    }

    private static List<String> hits(SearchRun.Outcome outcome) {
        return outcome.board().rows().stream()
                .map(row -> row.candidate().name() + " " + row.trial().hits())
                .sorted()
                .toList();
    }

    @Test
    void a_robust_search_compares_candidates_on_corruptions_that_none_was_fitted_to_and_is_repeatable()
            throws IOException {
        List<String> sentences = new ArrayList<>();
        SearchRun.Outcome robust = SearchRun.run(
                config("robust", Objective.ROBUST),
                new SearchConfig.Watcher(
                        () -> false,
                        event -> sentences.add(event instanceof SearchEvent.Decided decided ? decided.sentence() : ""),
                        event -> {}));
        assertThat(sentences).anyMatch(sentence -> sentence.contains("(impulse_noise, motion_blur, snow, pixelate)"));
        assertThat(new RunFolder(small.path("robust")).model()).exists();
        assertThat(Files.readString(small.path("robust").resolve("leaderboard.json")))
                .contains("\"objective\" : \"robust\"");

        SearchRun.Outcome clean = SearchRun.run(config("clean", Objective.ACCURACY), SearchConfig.Watcher.silent());
        assertThat(hits(robust)).hasSize(2).isNotEqualTo(hits(clean));
        assertThat(accuracy(robust, "average@near"))
                .as("corrupted images are harder than clean ones")
                .isLessThan(accuracy(clean, "average@near"));
        assertThat(hits(SearchRun.run(config("again", Objective.ROBUST), SearchConfig.Watcher.silent())))
                .isEqualTo(hits(robust));
    }

    private static double accuracy(SearchRun.Outcome outcome, String candidate) {
        return outcome.board().rows().stream()
                .filter(row -> row.candidate().name().equals(candidate))
                .mapToDouble(row -> row.accuracy().mean())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void another_objective_in_the_same_folder_is_refused() throws IOException {
        SearchRun.run(config("other", Objective.ROBUST), SearchConfig.Watcher.silent());
        assertThatThrownBy(() -> SearchRun.run(config("other", Objective.ACCURACY), SearchConfig.Watcher.silent()))
                .hasMessageContaining("another --out");
    }

    @Test
    void corruptions_of_the_copies_are_not_evaluated() {
        List<Candidate> candidates = Objective.ROBUST.space().candidates(List.of());
        assertThat(Objective.ROBUST.unseen(candidates))
                .containsExactly(
                        CorruptionType.SHOT_NOISE,
                        CorruptionType.MOTION_BLUR,
                        CorruptionType.SNOW,
                        CorruptionType.PIXELATE);
        List<Candidate> all =
                Objective.ROBUST.space().candidates(List.of("views.copies='corrupt:" + allTypes() + ":1-5'"));
        assertThatThrownBy(() -> Objective.ROBUST.unseen(all)).hasMessageContaining("leave some out");
    }

    private static String allTypes() {
        return String.join(
                ",", CorruptionType.standard().stream().map(CorruptionType::key).toList());
    }

    @Test
    void the_robust_space_that_ships_is_the_one_that_readers_see() throws IOException {
        Path copy = Path.of("..", "grids", "search", "robust.yaml");
        assertThat(copy).hasContent(SearchSpace.robustText());
        List<Candidate> all = SearchSpace.robust().candidates(List.of());
        assertThat(all).hasSize(21);
        assertThat(all.stream().map(candidate -> candidate.recipe().views().copyCount()))
                .containsOnly(0, 1, 3);
    }
}
