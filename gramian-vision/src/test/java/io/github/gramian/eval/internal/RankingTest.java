package io.github.gramian.eval.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.gramian.eval.ConfidenceInterval;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.Predictions;
import io.github.gramian.eval.Scores;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RankingTest {

    private static final EvaluationProtocol PROTOCOL = EvaluationProtocol.ofData(
                    "dtd", "ab12", "standard", "1", Map.of("test", 8))
            .withViews(224, "centre")
            .withBackbone("resnet50", "cd34");

    /** A run on images 0..7 that predicts those listed correctly. */
    private static Ranking.RunSummary run(String name, EvaluationProtocol protocol, Integer... recognised) {
        Map<String, Boolean> images = new LinkedHashMap<>();
        for (int i = 0; i < 8; i++) {
            images.put("image" + i, List.of(recognised).contains(i));
        }
        int correct = recognised.length;
        return new Ranking.RunSummary(
                name, protocol, correct / 8.0, ConfidenceInterval.ofAccuracy(correct, 8, 1), images);
    }

    /** A run whose predictions are missing. */
    private static Ranking.RunSummary scoresOnly(String name, double accuracy, ConfidenceInterval interval) {
        return new Ranking.RunSummary(name, PROTOCOL, accuracy, interval, Map.of());
    }

    /** The best is correct on 1..7, the other only on 0: 7 images against 1. */
    @Test
    void the_best_run_comes_first_and_the_others_are_tested_against_it() {
        Ranking.RunSummary weak = run("weak", PROTOCOL, 0);
        Ranking.RunSummary strong = run("strong", PROTOCOL.withSeed(5), 1, 2, 3, 4, 5, 6, 7);
        Ranking ranking = Ranking.of(List.of(weak, strong));
        assertThat(ranking.unlikeFields()).isEmpty();
        assertThat(ranking.entries()).extracting(Ranking.Entry::run).containsExactly(strong, weak);
        Ranking.Entry first = ranking.entries().get(0);
        assertThat(first.rank()).isEqualTo(1);
        assertThat(first.differenceToBest()).isZero();
        assertThat(first.againstBest()).isNull();
        Ranking.Entry second = ranking.entries().get(1);
        assertThat(second.rank()).isEqualTo(2);
        assertThat(second.differenceToBest()).isEqualTo(-0.75);
        Ranking.OnSameImages pair = Objects.requireNonNull(second.againstBest());
        assertThat(pair.test()).isEqualTo(McNemar.ofCounts(7, 1));
        // eight images, seven lost and one gained: −0.75 with a standard deviation of √((1 − 0.75²) / 8)
        assertThat(pair.difference().mean()).isEqualTo(-0.75);
        assertThat(pair.difference().lower()).isEqualTo(-1);
        assertThat(pair.difference().upper()).isBetween(-0.5, 0.0);
    }

    @Test
    void equal_runs_share_a_rank_and_keep_their_order() {
        Ranking ranking = Ranking.of(
                List.of(run("c", PROTOCOL, 0), run("b", PROTOCOL, 1, 2), run("a", PROTOCOL, 3, 4), run("d", PROTOCOL)));
        assertThat(ranking.entries()).extracting(entry -> entry.run().name()).containsExactly("b", "a", "c", "d");
        assertThat(ranking.entries()).extracting(Ranking.Entry::rank).containsExactly(1, 1, 3, 4);
    }

    @Test
    void incompatible_protocols_are_refused_with_the_differing_fields_named() {
        List<Ranking.RunSummary> runs = List.of(
                run("small", PROTOCOL, 0), run("alike", PROTOCOL), run("large", PROTOCOL.withViews(448, "ten")));
        Ranking.IncompatibleProtocolsException refusal =
                catchThrowableOfType(Ranking.IncompatibleProtocolsException.class, () -> Ranking.of(runs));
        assertThat(refusal)
                .hasMessageContaining("runs small and large were measured under incompatible protocols")
                .hasMessageContaining("resolution: 224 against 448; crops: centre against ten");
        assertThat(refusal.differences())
                .extracting(EvaluationProtocol.Difference::field)
                .containsExactly("resolution", "crops");
    }

    @Test
    void incompatible_protocols_are_ranked_when_allowed_and_the_fields_remain_visible() {
        Ranking ranking = Ranking.allowingUnlike(
                List.of(run("small", PROTOCOL, 0), run("large", PROTOCOL.withViews(448, "ten"), 1, 2)));
        assertThat(ranking.unlikeFields()).containsExactly("resolution", "crops");
        assertThat(Objects.requireNonNull(ranking.entries().get(1).againstBest())
                        .test())
                .isEqualTo(McNemar.ofCounts(2, 1));
    }

    @Test
    void without_the_same_images_there_is_no_test() {
        Ranking.RunSummary best = run("best", PROTOCOL, 0, 1, 2);
        Ranking.RunSummary scoresOnly = scoresOnly("scores only", 0.25, best.interval());
        Ranking.RunSummary fewer =
                new Ranking.RunSummary("fewer", PROTOCOL, 0, best.interval(), Map.of("image0", false));
        EvaluationProtocol otherData = EvaluationProtocol.ofData("dtd", "ffff", "standard", "1", Map.of("test", 8));
        Ranking.RunSummary sameNames = run("same names", otherData, 0);
        assertThat(Ranking.allowingUnlike(List.of(best, scoresOnly, fewer, sameNames))
                        .entries())
                .hasSize(4)
                .allSatisfy(entry -> assertThat(entry.againstBest()).isNull());
        Ranking.RunSummary bestScoresOnly = scoresOnly("best scores only", 0.9, best.interval());
        assertThat(Ranking.of(List.of(bestScoresOnly, best, scoresOnly)).entries())
                .hasSize(3)
                .allSatisfy(entry -> assertThat(entry.againstBest()).isNull());
    }

    @Test
    void a_run_is_made_of_scores_and_predictions_and_cannot_be_changed() {
        List<Prediction> predictions = Predictions.animals();
        Scores scores = Scores.of(predictions, List.of("cat", "dog", "owl"), 1);
        Ranking.RunSummary run = new Ranking.RunSummary(
                "animals", PROTOCOL, scores.accuracy(), scores.interval(), McNemar.recognised(predictions));
        assertThat(run.accuracy()).isEqualTo(scores.accuracy());
        assertThat(run.interval()).isEqualTo(scores.interval());
        assertThat(run.recognised()).hasSize(6).containsEntry("3", false).containsEntry("4", true);
        Map<String, Boolean> images = new HashMap<>(Map.of("a", true));
        Ranking.RunSummary copied = new Ranking.RunSummary("x", PROTOCOL, 1, scores.interval(), images);
        images.put("a", false);
        assertThat(copied.recognised()).containsEntry("a", true);
    }

    @Test
    void broken_summaries_and_empty_or_ambiguous_rankings_are_refused() {
        ConfidenceInterval interval = ConfidenceInterval.ofAccuracy(1, 2, 1);
        assertThatThrownBy(() -> scoresOnly(" ", 0.5, interval)).hasMessageContaining("needs a name");
        assertThatThrownBy(() -> scoresOnly("a", 95, interval)).hasMessageContaining("not percent");
        assertThatThrownBy(() -> new Ranking.RunSummary("a", PROTOCOL, 0.5, interval, Map.of("x", true)))
                .hasMessageContaining("its predictions give 1.0");
        assertThatThrownBy(() -> Ranking.of(List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no runs to rank");
        assertThatThrownBy(() -> Ranking.of(List.of(run("a", PROTOCOL), run("a", PROTOCOL, 1))))
                .hasMessageContaining("a is given twice; give each run once");
    }
}
