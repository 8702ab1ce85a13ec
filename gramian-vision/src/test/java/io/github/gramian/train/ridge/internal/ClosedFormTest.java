package io.github.gramian.train.ridge.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.run.Run;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.train.SmallRuns;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** More images than the classifier in closed form takes. Most are links to a few: features are found by content. */
class ClosedFormTest {

    private static final int DRAWN = 8;

    @TempDir
    static Path folder;

    private static SmallRuns runs = SmallRuns.existing(Path.of(""));

    @BeforeAll
    static void link_many_images() throws IOException {
        runs = SmallRuns.in(folder);
        List<String> lines = new ArrayList<>(List.of("path,label,split"));
        int copies = RidgeClassifier.MOST_ROWS / (SmallRuns.CLASSES.size() * DRAWN) + 1;
        for (String kind : SmallRuns.CLASSES) {
            for (int i = 0; i < DRAWN; i++) {
                for (int copy = 0; copy < copies; copy++) {
                    String name = kind + "/" + i + "-" + copy + ".png";
                    Files.createLink(runs.images().resolve(name), runs.images().resolve(kind + "/" + i + ".png"));
                    lines.add(name + "," + kind + ",train");
                }
            }
            lines.add(kind + "/" + DRAWN + ".png," + kind + ",test");
        }
        Files.write(runs.manifest(), lines);
    }

    private static Run train(String name, List<String> notes, String... settings) throws IOException {
        TrainingOptions options = TrainingOptions.defaults(folder.resolve("features-of-" + name))
                .withListener(event -> {
                    if (event instanceof TrainingEvent.Note note) {
                        notes.add(note.text());
                    } else if (event instanceof TrainingEvent.Features) {
                        notes.add("features");
                    }
                });
        return Training.of(runs.recipe(settings)).with(options).into(runs.path(name));
    }

    @Test
    void the_softmax_classifier_stays_and_a_note_says_so_before_anything_is_computed() throws IOException {
        List<String> notes = new ArrayList<>();
        Run outcome = train("softmax", notes, "stage1.epochs=1", "stage1.batch=512", "refit=best");
        assertThat(outcome.model()).exists();
        String said =
                "the softmax classifier stays: 12,024 images have labels to fit to, and the closed form takes at most"
                        + " 12,000";
        assertThat(notes).startsWith(said).contains("features");
        assertThat(new JsonMapper()
                        .readTree(outcome.files().scores().toFile())
                        .path("classifier")
                        .asText())
                .isEqualTo(said);
    }

    @Test
    void a_recipe_that_needs_the_closed_form_is_refused_before_anything_is_computed() {
        for (List<String> settings :
                List.of(List.of("stage1.epochs=0", "refit=best"), List.of("stage1.epochs=1", "refit=always"))) {
            List<String> notes = new ArrayList<>();
            assertThatThrownBy(() -> train("refused", notes, settings.toArray(String[]::new)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("at most 12,000; train a softmax classifier with stage1.epochs=8");
            assertThat(notes).isEmpty();
            assertThat(runs.path("refused")).doesNotExist();
        }
    }
}
