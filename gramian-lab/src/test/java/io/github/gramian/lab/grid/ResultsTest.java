package io.github.gramian.lab.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.check.FullForm;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.lab.grid.RunResult.ImageList;
import io.github.gramian.run.internal.SealedJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultsTest {

    @TempDir
    Path folder;

    private Results results() throws IOException {
        return Results.read(List.of(folder));
    }

    @Test
    void methods_are_compared_with_the_best_on_the_runs_they_share() throws IOException {
        new SyntheticResults(folder, 100)
                .run("good", 1, 1, 224, 10)
                .run("good", 2, 1, 224, 20)
                .run("good", 3, 1, 224, 15)
                .run("bad", 1, 1, 224, 30)
                .run("bad", 2, 1, 224, 40);
        List<ResultTable> tables = results().tables(null);
        assertThat(tables).hasSize(1);
        List<ResultTable.Row> rows = tables.get(0).rows();
        assertThat(rows).extracting(ResultTable.Row::method).containsExactly("good", "bad");
        assertThat(rows.get(0).accuracy().mean()).isCloseTo(0.85, within(1e-12));
        assertThat(rows.get(0).spread().deviation()).isCloseTo(0.05, within(1e-12));
        assertThat(rows.get(0).runs().describe()).isEqualTo("3 splits");
        assertThat(rows.get(0).reference()).isTrue();
        assertThat(rows.get(0).seconds()).isEqualTo(120);
        var comparison = Objects.requireNonNull(rows.get(1).comparison());
        assertThat(comparison.shared()).isEqualTo(new ResultTable.RunCount(2, 2));
        assertThat(comparison.reference()).isCloseTo(0.85, within(1e-12));
        assertThat(comparison.difference().mean()).isCloseTo(-0.2, within(1e-12));
        assertThat(comparison.difference().upper()).isNegative();
        assertThat(results().tables("bad").get(0).rows().get(1).reference()).isTrue();
    }

    /** 95 % correct on the easy split alone looks better than 90 % on both, where the reference has 97 % on the easy one. */
    @Test
    void a_row_that_ran_on_the_easy_split_alone_is_not_above_a_better_reference() throws IOException {
        new SyntheticResults(folder, 100)
                .run("easy", 1, 1, 224, 5)
                .run("good", 1, 1, 224, 3)
                .run("good", 2, 1, 224, 17)
                .run("bad", 1, 1, 224, 20)
                .run("bad", 2, 1, 224, 40);
        List<ResultTable.Row> rows = results().tables(null).get(0).rows();
        assertThat(rows).extracting(ResultTable.Row::method).containsExactly("good", "easy", "bad");
        assertThat(rows.get(1).accuracy().mean())
                .isGreaterThan(rows.get(0).accuracy().mean());
        ResultTable.Comparison comparison = Objects.requireNonNull(rows.get(1).comparison());
        assertThat(comparison.reference()).isCloseTo(0.97, within(1e-12));
        assertThat(comparison.difference().mean()).isCloseTo(-0.02, within(1e-12));
    }

    @Test
    void rows_without_a_shared_run_come_last() throws IOException {
        new SyntheticResults(folder, 100)
                .run("elsewhere", 3, 1, 224, 1)
                .run("good", 1, 1, 224, 10)
                .run("good", 2, 1, 224, 20)
                .run("bad", 1, 1, 224, 60);
        List<ResultTable.Row> rows = results().tables(null).get(0).rows();
        assertThat(rows).extracting(ResultTable.Row::method).containsExactly("good", "bad", "elsewhere");
        assertThat(rows.get(2).comparison()).isNull();
    }

    @Test
    void seeds_on_the_same_images_are_one_split() throws IOException {
        new SyntheticResults(folder, 100)
                .run("good", 1, 1, 224, 10)
                .run("good", 1, 2, 224, 10)
                .run("good", 1, 3, 224, 10)
                .run("once", 1, 1, 224, 10);
        List<ResultTable.Row> rows = results().tables(null).get(0).rows();
        assertThat(rows.get(0).runs().describe()).isEqualTo("3 seeds");
        assertThat(rows.get(0).accuracy()).isEqualTo(rows.get(1).accuracy());
        assertThat(rows.get(1).runs().describe()).isEqualTo("1 run");
    }

    @Test
    void runs_with_incompatible_protocols_are_in_separate_tables() throws IOException {
        new SyntheticResults(folder, 100)
                .run("good", 1, 1, 224, 10)
                .run("large", 1, 1, 448, 5)
                .run("bad", 1, 1, 224, 30);
        List<ResultTable> tables = results().tables(null);
        assertThat(tables).hasSize(2);
        assertThat(tables.get(0).rows()).extracting(ResultTable.Row::method).containsExactly("good", "bad");
        assertThat(tables.get(1).rows()).extracting(ResultTable.Row::method).containsExactly("large");
    }

    @Test
    void an_accuracy_that_is_not_that_of_the_predictions_is_refused() throws IOException {
        new SyntheticResults(folder, 100).run("good", 1, 1, 224, 10);
        Path file = folder.resolve("made/good/s1-r1.json");
        String changed = Files.readString(file).replace("\"accuracy\":0.9", "\"accuracy\":0.95");
        Files.writeString(file, changed);
        assertThatThrownBy(this::results).hasMessageContainingAll("0.95", "0.9", "run it again");
    }

    @Test
    void a_changed_list_of_images_is_refused_and_a_missing_one_is_named() throws IOException {
        new SyntheticResults(folder, 100).run("good", 1, 1, 224, 10);
        Path list = folder.resolve("made/images-s1-r1.json");
        String text = Files.readString(list);
        Files.writeString(list, text.replace("1-7.jpg", "1-8.jpg"));
        assertThatThrownBy(this::results).hasMessageContaining("images-….json");
        Files.delete(list);
        assertThatThrownBy(this::results).hasMessageContaining("images-….json");
    }

    @Test
    void published_results_are_written_as_they_were_read() throws IOException {
        List<Path> published;
        try (Stream<Path> files = Files.walk(Path.of("..", "docs", "results", "raw"))) {
            published = files.filter(Files::isRegularFile).sorted().toList();
        }
        assertThat(published).hasSizeGreaterThan(100);
        // A grid writes all runs of a method alike, so one of each kind in a directory is enough.
        Set<String> seen = new HashSet<>();
        for (Path file : published) {
            String name = file.getFileName().toString();
            String kind = name.startsWith("images-") ? "images" : name.substring(name.indexOf('.'));
            if (!FullForm.isOn() && !seen.add(file.getParent() + kind)) {
                continue;
            }
            Path written = folder.resolve("written.json");
            if (kind.equals("images")) {
                SealedJson.write(written, ImageList.read(file));
            } else if (file.toString().endsWith(RobustnessResult.ENDING)) {
                RobustnessResult.read(file).write(written);
            } else {
                RunResult.read(file).write(written);
            }
            assertThat(unsealed(written)).as(file.toString()).isEqualTo(unsealed(file));
        }
    }

    /** Results that were published before they had checksums are as good as others. */
    private static String unsealed(Path file) throws IOException {
        return Files.readString(file).replaceFirst(",\"crc32c\":\"[0-9a-f]{8}\"}\n$", "}\n");
    }

    @Test
    void a_file_that_is_not_a_result_is_reported() throws IOException {
        assertThatThrownBy(this::results).hasMessageContaining("gramian experiment");
        new SyntheticResults(folder, 100).run("good", 1, 1, 224, 10);
        assertThatThrownBy(() -> results().tables("god")).hasMessageContaining("[good]");
        Files.writeString(folder.resolve("s1-r1.json"), "{\"grid\": 1}");
        assertThatThrownBy(this::results).hasMessageContaining("is not a result of a run");
    }

    /** Synthetic results with a given number of correct predictions. */
    private static final class SyntheticResults {

        private final Path folder;
        private final int images;

        SyntheticResults(Path folder, int images) {
            this.folder = folder;
            this.images = images;
        }

        /** A run that predicts all images correctly but these first ones. */
        SyntheticResults run(String method, int split, long seed, int size, int wrong) throws IOException {
            List<String> ids = new ArrayList<>();
            List<Integer> truths = new ArrayList<>();
            List<Integer> predicted = new ArrayList<>();
            for (int i = 0; i < images; i++) {
                ids.add("images/" + split + "-" + i + ".jpg");
                truths.add(i % 3);
                predicted.add(i < wrong ? (i + 1) % 3 : i % 3);
            }
            ImageList list = new ImageList(ids, truths);
            RunResult.Cell cell = new RunResult.Cell("grid", method, "The " + method, "made", split, seed);
            list.keep(new ResultFolder(folder), cell);
            RunResult result = new RunResult(
                    cell,
                    new RunResult.Measured(
                            null,
                            new JsonMapper().createObjectNode().put("accuracy", (double) (images - wrong) / images)),
                    new RunResult.Footprint(2080, 1000, new TreeMap<>(Map.of("total", 60.0 * split)), null, 1),
                    EvaluationProtocol.ofData(
                                    "Made", "abc", "standard (ten splits)", "split " + split, Map.of("test", images))
                            .withViews(size, "centre")
                            .withBackbone("resnet50 res5c@" + size, "def")
                            .withSeed(seed),
                    new JsonMapper().createObjectNode(),
                    new RunResult.Answers(list.sha256(), predicted));
            result.write(folder.resolve("made/" + method + "/s" + split + "-r" + seed + ".json"));
            return this;
        }
    }
}
