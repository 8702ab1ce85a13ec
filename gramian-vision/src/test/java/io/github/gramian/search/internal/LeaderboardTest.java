package io.github.gramian.search.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.search.SearchOptions.Preference;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The one-standard-error rule on hits that are written out. */
class LeaderboardTest {

    private static final int IMAGES = 40;

    private static final Map<String, Candidate> CANDIDATES = candidates();

    private static Map<String, Candidate> candidates() {
        Map<String, Candidate> named = new LinkedHashMap<>();
        SearchSpace.parse("""
                name: small
                common: {stage1: {epochs: 0}}
                inputs:
                  near: {branches: [{tap: last, size: 224}]}
                  far: {branches: [{tap: last, size: 448}]}
                heads:
                  long: {branches: [{convolution: 8, aggregator: spd}]}
                  short: {branches: [{convolution: 0, aggregator: average}]}
                """).candidates(List.of()).forEach(candidate -> named.put(candidate.name(), candidate));
        return named;
    }

    /** A trial in which the first {@code right} images are predicted correctly. */
    private static TrialResult trial(String candidate, int right) {
        String hits = "3".repeat(right) + "0".repeat(IMAGES - right);
        return new TrialResult(candidate, 1, hits, candidate.startsWith("long") ? 36 : 9, 100, 10, 1, 1);
    }

    private static List<List<String>> alone() {
        List<String> each = IntStream.range(0, IMAGES).mapToObj(String::valueOf).toList();
        return List.of(each, each);
    }

    private static String chosen(Preference prefer, TrialResult... trials) {
        return Leaderboard.of(List.of(trials), CANDIDATES, alone())
                .choose(prefer)
                .orElseThrow()
                .candidate()
                .name();
    }

    @Test
    void the_cheapest_within_one_standard_error_is_chosen() {
        // One image of 40 differs: difference 0.025, standard error √(0.025·0.975/40) = 0.0247; two: 0.05 and 0.034.
        TrialResult best = trial("long@far", 38);
        assertThat(chosen(Preference.BALANCED, best, trial("short@near", 38), trial("long@near", 37)))
                .as("no difference")
                .isEqualTo("short@near");
        assertThat(chosen(Preference.BALANCED, best, trial("short@near", 37)))
                .as("0.025 is more than 0.0247")
                .isEqualTo("long@far");
        assertThat(chosen(Preference.SPEED, best, trial("short@near", 37))).isEqualTo("short@near");
        assertThat(chosen(Preference.SPEED, best, trial("short@near", 30)))
                .as("ten images are not due to chance")
                .isEqualTo("long@far");
        assertThat(chosen(Preference.ACCURACY, best, trial("short@near", 37))).isEqualTo("long@far");
        assertThat(chosen(Preference.SMALL, best, trial("short@far", 38), trial("long@near", 38)))
                .isEqualTo("short@far");
        assertThat(chosen(Preference.BALANCED, best, trial("short@far", 38), trial("long@near", 38)))
                .isEqualTo("long@near");
    }

    @Test
    void differences_are_paired_and_groups_widen_them() {
        TrialResult one = trial("long@near", 30);
        TrialResult other = trial("short@near", 20);
        Leaderboard.Estimate alone = Leaderboard.Estimate.difference(one, other, alone().get(1));
        assertThat(alone.mean()).isEqualTo(0.25, within(1e-12));
        assertThat(alone.error()).isEqualTo(Math.sqrt(0.25 * 0.75 / IMAGES), within(1e-12));
        // Ten images of one group differ together: they are one observation.
        List<String> tens =
                IntStream.range(0, IMAGES).mapToObj(i -> "g" + i / 10).toList();
        assertThat(Leaderboard.Estimate.difference(one, other, tens).error())
                .isEqualTo(Math.sqrt(10) * alone.error(), within(1e-12));
        assertThatThrownBy(() -> Leaderboard.Estimate.difference(
                        one, new TrialResult("short@near", 0, "33", 9, 100, 10, 1, 1), alone().get(1)))
                .hasMessageContaining("different rungs");
    }

    @Test
    void an_accuracy_without_a_mistake_is_not_certain() {
        TrialResult all = new TrialResult("short@near", 0, "3".repeat(IMAGES), 9, 100, 10, 1, 1);
        Leaderboard.Estimate accuracy = Leaderboard.Estimate.of(all, alone().get(0));
        assertThat(accuracy.mean()).isEqualTo(1);
        assertThat(accuracy.error()).isEqualTo(Math.sqrt(41 / 42.0 * (1 / 42.0) / 42), within(1e-12));
    }

    @Test
    void more_images_do_not_help_one_that_was_beaten_on_fewer() {
        TrialResult all = trial("short@near", 30);
        TrialResult beaten = new TrialResult("short@near", 0, "3".repeat(20) + "0".repeat(20), 9, 100, 10, 1, 1);
        TrialResult better = new TrialResult("long@near", 0, "3".repeat(38) + "00", 36, 100, 10, 1, 1);
        TrialResult alike = new TrialResult("long@near", 0, "3".repeat(21) + "0".repeat(19), 36, 100, 10, 1, 1);
        Leaderboard board = Leaderboard.of(List.of(beaten, better, all), CANDIDATES, alone());
        assertThat(board.rows().stream().map(row -> row.candidate().name())).containsExactly("long@near", "short@near");
        assertThat(board.choose(Preference.BALANCED).orElseThrow().candidate().name())
                .isEqualTo("long@near");
        assertThat(Leaderboard.of(List.of(alike, all), CANDIDATES, alone()).finalists())
                .as("never compared on the same images")
                .singleElement()
                .returns("short@near", row -> row.candidate().name());
        TrialResult same = new TrialResult("long@near", 0, beaten.hits(), 36, 100, 10, 1, 1);
        assertThat(chosen(Preference.ACCURACY, beaten, same, all)).isEqualTo("short@near");
    }

    @Test
    void those_on_the_most_images_come_first_and_only_they_can_be_chosen() {
        TrialResult few = new TrialResult("short@near", 0, "3".repeat(IMAGES), 9, 100, 10, 1, 1);
        Leaderboard board = Leaderboard.of(List.of(few, trial("long@near", 20)), CANDIDATES, alone());
        assertThat(board.rows().stream().map(row -> row.candidate().name())).containsExactly("long@near", "short@near");
        assertThat(board.finalists()).hasSize(1);
        assertThat(board.choose(Preference.BALANCED).orElseThrow().rank()).isEqualTo(1);
    }

    @Test
    void the_front_is_what_nothing_beats_in_accuracy_and_cost() {
        TrialResult slow = new TrialResult("long@far", 1, "3".repeat(30) + "0".repeat(10), 36, 100, 40, 1, 1);
        Leaderboard board =
                Leaderboard.of(List.of(slow, trial("short@near", 35), trial("long@near", 34)), CANDIDATES, alone());
        assertThat(board.rows().stream()
                        .filter(Leaderboard.Row::front)
                        .map(row -> row.candidate().name()))
                .containsExactly("short@near");
    }

    @Test
    void images_that_cannot_be_used_do_not_count() {
        TrialResult trial = new TrialResult("short@near", 0, "33-0", 9, 100, 10, 1, 1);
        assertThat(trial.images()).isEqualTo(3);
        assertThat(trial.accuracy()).isEqualTo(2 / 3.0, within(1e-12));
        assertThatThrownBy(() -> new TrialResult("short@near", 0, "--", 9, 100, 10, 1, 1))
                .hasMessageContaining("hits");
    }
}
