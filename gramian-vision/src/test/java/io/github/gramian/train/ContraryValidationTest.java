package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.run.Run;
import io.github.gramian.run.internal.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A few validation images may contradict everything that is learned. */
class ContraryValidationTest {

    @TempDir
    Path folder;

    /** The validation loss rises from the first epoch on, so the start, a classifier of zeros, has the smallest loss. */
    @Test
    void a_classifier_of_zeros_is_never_selected() throws IOException {
        SmallRuns runs = SmallRuns.in(folder);
        List<String> lines = Files.readAllLines(runs.manifest()).stream()
                .map(line ->
                        line.matches(".*/[67]\\.png.*train") ? exchanged(line).replace("train", "val") : line)
                .toList();
        Files.write(runs.manifest(), lines);
        Run run = runs.run(runs.recipe("stage1.epochs=4", "refit=never", "final=training"), "contrary");
        List<String> predictions = Files.readAllLines(new RunFolder(run.directory()).predictions());
        assertThat(predictions).hasSize(3 * SmallRuns.TEST).noneMatch(line -> line.contains("[0.33333334,0.33333334"));
        assertThat(run.scores().accuracy()).as("better than chance").isGreaterThan(1.0 / 3);
    }

    private static String exchanged(String line) {
        String[] cells = line.split(",", -1);
        int label = SmallRuns.CLASSES.indexOf(cells[1]);
        return cells[0] + "," + SmallRuns.CLASSES.get((label + 1) % SmallRuns.CLASSES.size()) + "," + cells[2];
    }
}
