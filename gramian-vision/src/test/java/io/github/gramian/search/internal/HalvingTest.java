package io.github.gramian.search.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.dataset.internal.Groups;
import io.github.gramian.search.SearchOptions.Preference;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The schedule, with candidates whose accuracies are given and a clock that stands still between trials. */
class HalvingTest {

    private static final String SPACE = """
        name: small
        common: {stage1: {epochs: 0}}
        inputs:
          near: {branches: [{tap: last, size: 224}]}
          far: {branches: [{tap: last, size: 448}]}
        heads:
          a: {branches: [{convolution: 0, aggregator: average}]}
          b: {branches: [{convolution: 0, aggregator: max}]}
          c: {branches: [{convolution: 8, aggregator: spd}]}
          d: {branches: [{convolution: 9, aggregator: spd}]}
          e: {branches: [{convolution: 10, aggregator: spd}]}
          f: {branches: [{convolution: 11, aggregator: spd}]}
        """;

    /** 2 classes of 800 images: rungs of 25, 100, 400 and 1,600; candidates start on 400. */
    private static final SearchImages IMAGES =
            SearchImages.of(List.of("x", "y"), StratifiedFoldsTest.images(800, 800), Groups.none(), new Seed(1));

    private static final Map<String, Double> NEAR = Map.of("a", .50, "b", .55, "c", .80, "d", .70, "e", .75, "f", .60);

    /** Makes the best head on the more expensive input right on every image. */
    private static final double PERFECT = 0.25;

    @TempDir
    Path folder;

    private final List<String> sentences = new ArrayList<>();
    private long now;

    /** Each image is right with the candidate's accuracy; a trial takes a hundredth of a second per image and unit of work. */
    private class Given implements Halving.Trials {
        private final double farBonus;
        private final List<String> ran = new ArrayList<>();
        private int killAfter = Integer.MAX_VALUE;

        Given(double farBonus) {
            this.farBonus = farBonus;
        }

        @Override
        public double seconds(Candidate candidate, int rung) {
            return IMAGES.rungs().get(rung).size() * candidate.work() / 100;
        }

        @Override
        public double trainingSeconds(Candidate candidate) {
            return 10 * candidate.work();
        }

        @Override
        public double trainingSeconds(Candidate candidate, Candidate tried, int rung) {
            return trainingSeconds(candidate);
        }

        @Override
        public TrialResult run(Candidate candidate, int rung, Runnable alive) {
            if (ran.size() == killAfter) {
                throw new OutOfMemoryError("killed");
            }
            ran.add(candidate.name() + " " + rung);
            double accuracy = Objects.requireNonNull(NEAR.get(candidate.head()))
                    + (candidate.input().equals("far") ? farBonus : 0);
            SplittableRandom random = new SplittableRandom(candidate.name().hashCode());
            StringBuilder hits = new StringBuilder();
            IMAGES.rungs().get(rung).forEach(image -> hits.append(random.nextDouble() < accuracy ? 3 : 0));
            now += (long) (1e9 * seconds(candidate, rung));
            return new TrialResult(candidate.name(), rung, hits.toString(), 9, 100, 1, 1, 1);
        }
    }

    private Leaderboard search(Given trials, SearchConfig.Limit limit, String name) throws IOException {
        return search(SPACE, trials, limit, name);
    }

    private Leaderboard search(String space, Given trials, SearchConfig.Limit limit, String name) throws IOException {
        Journal journal = Journal.open(folder.resolve(name).resolve("search/journal.jsonl"), "same");
        double before = journal.seconds();
        long start = now;
        Halving halving = new Halving(
                SearchSpace.parse(space).candidates(List.of()),
                IMAGES,
                new Halving.Setting(journal, limit, () -> before + (now - start) / 1e9, event -> {
                    if (event instanceof SearchEvent.Decided decided) {
                        sentences.add(decided.sentence());
                    }
                }));
        halving.run(trials);
        return halving.board();
    }

    @Test
    void half_of_the_heads_climb_and_a_more_expensive_input_gets_the_best_of_them() throws IOException {
        Given trials = new Given(0.1);
        Leaderboard board = search(trials, new SearchConfig.Limit.Trials(100), "all");
        assertThat(trials.ran)
                .containsExactly(
                        "a@near 2",
                        "b@near 2",
                        "c@near 2",
                        "d@near 2",
                        "e@near 2",
                        "f@near 2", // all on a quarter
                        "c@near 3",
                        "e@near 3",
                        "d@near 3", // the better half on all images
                        "c@far 2",
                        "e@far 2",
                        "d@far 2",
                        "c@far 3",
                        "e@far 3");
        assertThat(board.rows().get(0).candidate().name()).isEqualTo("c@far");
        assertThat(board.finalists()).hasSize(5);
    }

    @Test
    void an_input_that_cannot_win_gets_no_more_images() throws IOException {
        Given trials = new Given(-0.3);
        search(trials, new SearchConfig.Limit.Trials(100), "worse");
        assertThat(trials.ran).contains("c@far 2").doesNotContain("c@far 3");
        assertThat(sentences).anyMatch(sentence -> sentence.contains("far cannot beat the best candidate so far"));
    }

    @Test
    void nothing_more_expensive_is_tried_where_there_is_nothing_to_win() throws IOException {
        Given perfect = new Given(0) {
            @Override
            public TrialResult run(Candidate candidate, int rung, Runnable alive) {
                TrialResult any = super.run(candidate, rung, alive);
                return new TrialResult(
                        any.candidate(), rung, "3".repeat(any.hits().length()), 9, 100, 1, 1, 1);
            }
        };
        search(perfect, new SearchConfig.Limit.Trials(100), "easy");
        assertThat(perfect.ran).noneMatch(trial -> trial.contains("@far"));
        assertThat(sentences).anyMatch(sentence -> sentence.contains("so few mistakes"));
    }

    @Test
    void a_time_limit_holds_with_the_training_and_is_recorded() throws IOException {
        // Six trials of 4 s, then 16 s each on all images, 10 s of training: 54 s are enough for one of those.
        Given trials = new Given(0.1);
        search(trials, new SearchConfig.Limit.Minutes(54 / 60.0), "short");
        assertThat(trials.ran).hasSize(7).endsWith("c@near 3");
        assertThat(now / 1e9 + 10).isLessThanOrEqualTo(54);
        assertThat(sentences).contains("no time for e@near on 1,600 images", "no time for c@far on 400 images");
        String journal = Files.readString(folder.resolve("short/search/journal.jsonl"));
        search(trials, new SearchConfig.Limit.Minutes(54 / 60.0), "short");
        assertThat(trials.ran).as("repeated from the journal").hasSize(7);
        assertThat(Files.readString(folder.resolve("short/search/journal.jsonl")))
                .isEqualTo(journal);
        now = 0;
        search(trials, new SearchConfig.Limit.Minutes(10), "short");
        assertThat(trials.ran).as("with more time the search runs more trials").hasSize(14);
    }

    @Test
    void features_that_a_trial_computes_are_not_counted_again_for_the_training() throws IOException {
        Given trials = new Given(0.1) {
            @Override
            public double trainingSeconds(Candidate candidate) {
                return 26 * candidate.work();
            }

            @Override
            public double trainingSeconds(Candidate candidate, Candidate tried, int rung) {
                boolean shared = candidate.input().equals(tried.input());
                return trainingSeconds(candidate) - (shared ? seconds(tried, rung) : 0);
            }
        };
        // 24 s for all near heads on 400 images; 16 s for the best of them on all, which leaves 10 s of training for
        // any.
        search(trials, new SearchConfig.Limit.Minutes(50 / 60.0), "best");
        assertThat(trials.ran).endsWith("c@near 3");
        // 72 s on the near input; then 16 s for 400 images on the far one, 48 s for the others and 40 s of
        // training.
        now = 0;
        search(trials, new SearchConfig.Limit.Minutes(180 / 60.0), "once");
        assertThat(trials.ran).contains("c@far 2");
    }

    @Test
    void a_more_expensive_input_gets_the_heads_that_climbed_highest() throws IOException {
        Given trials = new Given(0.1) {
            @Override
            public double seconds(Candidate candidate, int rung) {
                boolean slow =
                        candidate.input().equals("far") && !(candidate.head().equals("c") && rung == 2);
                return super.seconds(candidate, rung) * (slow ? 100 : 1);
            }
        };
        // On the far input there is time for one head on a quarter of the images, on which it is the best of all.
        String three = SPACE.replace("heads:", "  farther: {branches: [{tap: last, size: 896}]}\nheads:");
        Leaderboard board = search(three, trials, new SearchConfig.Limit.Minutes(10), "heads");
        assertThat(board.rows().get(0).candidate().name()).isEqualTo("c@far");
        assertThat(trials.ran.stream().filter(trial -> trial.contains("farther")))
                .containsExactly("c@farther 2", "e@farther 2", "d@farther 2");
    }

    @Test
    void candidates_worse_than_the_best_do_not_climb_without_it() throws IOException {
        Given trials = new Given(0.1) {
            @Override
            public double seconds(Candidate candidate, int rung) {
                return super.seconds(candidate, rung) * (candidate.name().equals("c@near") && rung == 3 ? 100 : 1);
            }
        };
        // 24 s for the first six; 16 s for e on all images and 10 s of training would fit, but c is better and does
        // not.
        Leaderboard board = search(trials, new SearchConfig.Limit.Minutes(54 / 60.0), "held");
        assertThat(trials.ran).hasSize(6).allMatch(trial -> trial.endsWith("@near 2"));
        assertThat(board.choose(Preference.BALANCED).orElseThrow().candidate().name())
                .isEqualTo("c@near");
    }

    @Test
    void a_tiny_time_limit_still_gives_one_result_on_few_images() throws IOException {
        Given trials = new Given(0.1);
        Leaderboard board = search(trials, new SearchConfig.Limit.Minutes(0.01), "tiny");
        assertThat(trials.ran).containsExactly("a@near 0");
        assertThat(board.rows()).hasSize(1);
    }

    @Test
    void a_killed_search_goes_on_to_the_same_end_without_repeating_a_trial() throws IOException {
        // With a perfect result in the journal, nothing would be left to win for a search that looked ahead.
        Given whole = new Given(PERFECT);
        Leaderboard expected = search(whole, new SearchConfig.Limit.Trials(100), "whole");
        for (int after = 0; after < whole.ran.size(); after++) {
            Given first = new Given(PERFECT);
            first.killAfter = after;
            String name = "killed" + after;
            try {
                search(first, new SearchConfig.Limit.Trials(100), name);
            } catch (OutOfMemoryError e) {
                // and a torn line, as a power cut leaves it
                Path journal = folder.resolve(name).resolve("search/journal.jsonl");
                Files.writeString(journal, Files.readString(journal) + "12345678 {\"trial\":{\"cand");
            }
            Given second = new Given(PERFECT);
            Leaderboard board = search(second, new SearchConfig.Limit.Trials(100), name);
            assertThat(first.ran.size() + second.ran.size()).isEqualTo(whole.ran.size());
            assertThat(board).isEqualTo(expected);
        }
    }

    @Test
    void trials_are_counted_and_a_failing_candidate_is_skipped() throws IOException {
        Given trials = new Given(0.1) {
            @Override
            public TrialResult run(Candidate candidate, int rung, Runnable alive) {
                if (candidate.head().equals("c")) {
                    throw new IllegalArgumentException("c is too large");
                }
                return super.run(candidate, rung, alive);
            }
        };
        Leaderboard board = search(trials, new SearchConfig.Limit.Trials(7), "few");
        assertThat(trials.ran).hasSize(7).doesNotContain("c@near 2");
        assertThat(board.rows()).hasSize(5);
        assertThat(sentences).contains("c@near failed: c is too large");
    }
}
