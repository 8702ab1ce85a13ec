package io.github.gramian.studio.project.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.Scores;
import io.github.gramian.run.internal.ScoresFile;
import io.github.gramian.run.internal.SealedJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFoldersTest {

    @TempDir
    Path out;

    @Test
    void a_new_run_comes_after_all_others_even_if_one_was_deleted() throws IOException {
        RunFolders folders = new RunFolders(out.resolve("runs"));
        assertThat(folders.free()).isEqualTo(out.resolve("runs/run-1"));
        for (String name : new String[] {"run-2", "run-10", "run-010", "run-x", "other"}) {
            Files.createDirectories(out.resolve("runs").resolve(name));
        }
        assertThat(folders.free()).isEqualTo(out.resolve("runs/run-11"));
    }

    @Test
    void the_latest_run_is_found_after_a_deleted_one() throws IOException {
        complete("run-1");
        complete("run-3");
        Files.createDirectories(out.resolve("run-5"));
        assertThat(new RunFolders(out).latest())
                .hasValueSatisfying(run -> assertThat(run.directory()).isEqualTo(out.resolve("run-3")));
    }

    /** The files of a finished run, of which only the scores are read. */
    private void complete(String name) throws IOException {
        Path folder = Files.createDirectories(out.resolve(name));
        Files.createFile(folder.resolve("model.gramian"));
        Files.createFile(folder.resolve("report.html"));
        List<String> classes = List.of("cat", "dog");
        List<Prediction> predictions = List.of(
                Prediction.of("a", classes, new float[] {0.7f, 0.3f}).withTruth(0),
                Prediction.of("b", classes, new float[] {0.6f, 0.4f}).withTruth(1));
        EvaluationProtocol protocol = EvaluationProtocol.ofData("dtd", "ab12", "p", "1", Map.of("test", 2));
        ScoresFile scores = new ScoresFile(
                Scores.of(predictions, classes, 7),
                "test",
                "/photos",
                JsonNodeFactory.instance.objectNode(),
                12,
                protocol,
                null);
        SealedJson.write(folder.resolve("scores.json"), scores.toTree());
    }
}
