package io.github.gramian.search.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.search.SearchOptions.Preference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole searches on drawn textures with random weights. */
class SearchRunTest {

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
          vgg: {label: nowhere, branches: [{tap: conv4_3, size: 48}]}
          both: {label: two layers, branches: [{tap: layer3, size: 48}, {tap: last, size: 48}]}
        heads:
          average: {label: Average, branches: [{convolution: 0, aggregator: average, descriptor: {powerEpsilon: -1}}]}
          kernel: {label: Kernel, branches: [{convolution: 8, aggregator: spd}]}
        """;

    @TempDir
    static Path folder;

    @SuppressWarnings("NullAway.Init") // drawn before all tests
    private static SmallRuns small;

    @BeforeAll
    static void draw() throws IOException {
        small = SmallRuns.in(folder);
    }

    private static SearchConfig config(String name, SearchConfig.Limit limit) {
        return new SearchConfig(
                SearchSpace.parse(SPACE),
                List.of("data.images='" + small.manifest() + "'", "backbone.weights='" + small.weights() + "'"),
                limit,
                Objective.ACCURACY,
                Preference.BALANCED,
                small.path(name),
                folder.resolve("cache-" + name));
    }

    /** The part that does not depend on the clock. */
    private static String board(String name) throws IOException {
        return Files.readString(small.path(name).resolve("leaderboard.json"))
                .replaceAll("\"(seconds|milliseconds)\" : [0-9.]+", "")
                .replaceAll("\"front\" : \\w+", "");
    }

    @Test
    void a_search_ends_with_an_ordinary_run_and_two_of_them_are_equal() throws IOException {
        List<String> sentences = new ArrayList<>();
        SearchRun.Outcome outcome = SearchRun.run(
                config("first", new SearchConfig.Limit.Trials(50)),
                new SearchConfig.Watcher(
                        () -> false,
                        event -> sentences.add(event instanceof SearchEvent.Decided decided ? decided.sentence() : ""),
                        event -> {}));
        assertThat(sentences).anyMatch(sentence -> sentence.startsWith("vgg is left out"));
        RunFolder run = new RunFolder(small.path("first"));
        assertThat(outcome.run()).isNotNull();
        assertThat(run.model()).exists();
        assertThat(run.scores()).exists();
        assertThat(RecipeFile.readStored(run.recipe()))
                .isEqualTo(outcome.chosen().candidate().recipe());
        JsonNode json =
                new ObjectMapper().readTree(Files.readString(small.path("first").resolve("leaderboard.json")));
        assertThat(json.path("candidates").size()).isGreaterThanOrEqualTo(2);
        assertThat(json.path("candidates").get(0).path("images").asInt()).isEqualTo(24);
        assertThat(small.path("first").resolve("leaderboard.csv")).content().startsWith("rank,candidate,images");

        SearchRun.run(config("second", new SearchConfig.Limit.Trials(50)), SearchConfig.Watcher.silent());
        assertThat(board("second")).isEqualTo(board("first"));
        assertThat(small.weightsHash("second")).isEqualTo(small.weightsHash("first"));

        SearchRun.Outcome again =
                SearchRun.run(config("first", new SearchConfig.Limit.Trials(50)), SearchConfig.Watcher.silent());
        assertThat(again.run()).as("test images are not opened again").isNull();
        assertThat(again.chosen().candidate()).isEqualTo(outcome.chosen().candidate());
    }

    @Test
    void a_stopped_search_goes_on_and_ends_as_if_it_had_not_been_stopped() throws IOException {
        AtomicInteger scored = new AtomicInteger();
        SearchConfig config = config("stopped", new SearchConfig.Limit.Trials(2));
        assertThatThrownBy(() -> SearchRun.run(
                        config,
                        new SearchConfig.Watcher(
                                () -> scored.get() == 1,
                                event -> scored.addAndGet(event instanceof SearchEvent.Scored ? 1 : 0),
                                event -> {})))
                .isInstanceOf(SearchStopped.class)
                .hasMessageContaining("same command")
                .hasMessageContaining("best.yaml");
        assertThat(RecipeFile.read(new SearchFolder(small.path("stopped")).best())
                        .stage1()
                        .runs())
                .isFalse();
        AtomicInteger more = new AtomicInteger();
        SearchRun.run(
                config,
                new SearchConfig.Watcher(
                        () -> false,
                        event -> more.addAndGet(event instanceof SearchEvent.Scored ? 1 : 0),
                        event -> {}));
        assertThat(more).hasValue(1);
        SearchRun.run(config("straight", new SearchConfig.Limit.Trials(2)), SearchConfig.Watcher.silent());
        assertThat(board("stopped")).isEqualTo(board("straight"));
        assertThat(small.weightsHash("stopped")).isEqualTo(small.weightsHash("straight"));
    }

    @Test
    void a_broken_image_is_named_and_left_out() throws IOException {
        SmallRuns own = SmallRuns.in(folder.resolve("own"));
        Files.writeString(own.images().resolve("rows/0.png"), "no image");
        SearchConfig config = new SearchConfig(
                SearchSpace.parse(SPACE),
                List.of("data.images='" + own.manifest() + "'", "backbone.weights='" + own.weights() + "'"),
                new SearchConfig.Limit.Trials(1),
                Objective.ACCURACY,
                Preference.ACCURACY,
                own.path("broken"),
                own.cache());
        List<String> notes = new ArrayList<>();
        SearchRun.Outcome outcome = SearchRun.run(config, new SearchConfig.Watcher(() -> false, event -> {}, event -> {
            if (event instanceof TrainingEvent.Note note) {
                notes.add(note.text());
            }
        }));
        assertThat(notes).anyMatch(note -> note.startsWith("left out rows/0.png"));
        assertThat(outcome.chosen().trial().images()).isEqualTo(23);
        assertThat(outcome.chosen().trial().hits()).contains("-");
    }

    @Test
    void other_settings_in_the_same_folder_are_refused_and_a_refused_search_leaves_no_folder() throws IOException {
        SearchConfig config = config("other", new SearchConfig.Limit.Trials(1));
        SearchRun.run(config, SearchConfig.Watcher.silent());
        List<String> changed = new ArrayList<>(config.settings());
        changed.add("seed=9");
        assertThatThrownBy(() -> SearchRun.run(
                        new SearchConfig(
                                config.space(),
                                changed,
                                config.limit(),
                                config.objective(),
                                config.prefer(),
                                config.folder(),
                                config.cache()),
                        SearchConfig.Watcher.silent()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another --out");
        assertThatThrownBy(() -> SearchRun.run(
                        new SearchConfig(
                                config.space(),
                                List.of("data.images='/nowhere'"),
                                config.limit(),
                                config.objective(),
                                config.prefer(),
                                small.path("never"),
                                config.cache()),
                        SearchConfig.Watcher.silent()))
                .isInstanceOf(RuntimeException.class);
        assertThat(small.path("never")).doesNotExist();
    }
}
