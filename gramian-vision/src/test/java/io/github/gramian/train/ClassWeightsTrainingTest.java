package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.internal.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Weights of classes in whole trainings. */
class ClassWeightsTrainingTest {

    @TempDir
    Path folder;

    /** Leaves two of eight training images of a class. */
    private static SmallRuns imbalanced(Path folder) throws IOException {
        SmallRuns runs = SmallRuns.in(folder);
        List<String> lines = Files.readAllLines(runs.manifest());
        lines.removeIf(line -> line.matches("rows/[2-7][.]png,.*"));
        Files.write(runs.manifest(), lines);
        return runs;
    }

    @ParameterizedTest
    @ValueSource(strings = {"stage1.epochs=0", "stage1.epochs=2"})
    void balanced_classes_give_another_model_and_a_note(String stage) throws IOException {
        SmallRuns runs = imbalanced(folder);
        List<String> notes = new ArrayList<>();
        runs.run(runs.recipe(stage, "data.validation=0"), "plain");
        runs.run(
                runs.recipe(stage, "data.validation=0", "classes.weights=balanced"),
                "balanced",
                TrainingOptions.defaults(runs.cache()).withListener(event -> {
                    if (event instanceof TrainingEvent.Note note) {
                        notes.add(note.text());
                    }
                }));
        String sentence = "class weights: every class counts the same, so an image counts 0.75 to 3.00 times";
        assertThat(runs.weightsHash("balanced")).isNotEqualTo(runs.weightsHash("plain"));
        assertThat(notes).contains(sentence);
        assertThat(new JsonMapper()
                        .readTree(new RunFolder(runs.path("balanced")).scores().toFile())
                        .path("classWeights")
                        .asText())
                .isEqualTo(sentence);
    }
}
