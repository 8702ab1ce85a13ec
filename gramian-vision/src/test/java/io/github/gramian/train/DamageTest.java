package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.InvalidInputException;
import io.github.gramian.check.FullForm;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.train.stage.internal.Checkpoint;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One flipped bit in any file that a training reads back: the file is rejected by name, or computed again, and the model
 * is bit-identical. It is never silently another model.
 */
class DamageTest {

    private static final int FLIPS = FullForm.rounds(12, 3);
    private static final int QUICK_FLIPS = 200;

    @TempDir
    static Path folder;

    private static SmallRuns runs = SmallRuns.existing(Path.of(""));

    /** A run that was stopped after an epoch and a half, and what one that was not stopped ends in. */
    @BeforeAll
    static void stop_a_run() throws IOException {
        runs = SmallRuns.in(folder);
        assertThatThrownBy(() -> runs.run(recipe(), "stopped", runs.stoppingAfter(4)))
                .isInstanceOf(TrainingStopped.class);
        copy(runs.path("stopped"), folder.resolve("copy/run"));
        copy(runs.cache(), folder.resolve("copy/cache"));
        runs.run(recipe(), "unbroken");
    }

    private static Recipe recipe() {
        return runs.recipe("stage1.epochs=2", "refit=best");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "run/checkpoints/stage1-last.safetensors",
                "run/checkpoints/stage1-best.safetensors",
                "run/recipe.yaml",
                "run/inputs.json",
                "cache/HASH/shard-000000.safetensors",
                "cache/HASH/index.bin",
            })
    void a_flipped_bit_is_refused_or_repaired_and_never_changes_a_model(String file) throws IOException {
        SplittableRandom random = new SplittableRandom(file.hashCode());
        for (int flip = 0; flip < FLIPS; flip++) {
            restore();
            Path damaged = located(file);
            String where = flip(damaged, random, flip % 2 == 0);
            List<String> notes = new ArrayList<>();
            try {
                runs.run(
                        RecipeFile.readStored(new RunFolder(runs.path("damaged")).recipe()),
                        "damaged",
                        withListener(notes));
            } catch (IOException | RuntimeException e) {
                assertThat(e)
                        .as(where)
                        .hasMessageContaining(damaged.getFileName().toString());
                assertThat(file).as("this can be made again: " + e).doesNotContain("cache/");
                continue;
            }
            assertThat(runs.weightsHash("damaged")).as(where).isEqualTo(runs.weightsHash("unbroken"));
            if (file.contains("shard")) {
                assertThat(notes).as(where).anyMatch(note -> note.contains(damaged.toString()));
            }
        }
    }

    /** Without checkpoints, so that the start from components is computed. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void damaged_components_are_computed_again(boolean inHeader) throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        for (int flip = 0; flip < FLIPS; flip++) {
            restore();
            delete(runs.path("damaged"));
            Path damaged = located("cache/HASH/components-*");
            String where = flip(damaged, random, inHeader);
            List<String> notes = new ArrayList<>();
            runs.run(recipe(), "damaged", withListener(notes));
            assertThat(runs.weightsHash("damaged")).as(where).isEqualTo(runs.weightsHash("unbroken"));
            assertThat(notes).as(where).anyMatch(note -> note.contains(damaged.toString()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"stage1-last.safetensors", "stage1-best.safetensors"})
    void every_flip_in_a_checkpoint_is_seen(String name) throws IOException {
        SplittableRandom random = new SplittableRandom(6);
        Path intact = folder.resolve("copy/run/checkpoints").resolve(name);
        Path file = folder.resolve(name);
        for (int flip = 0; flip < QUICK_FLIPS; flip++) {
            Files.copy(intact, file, StandardCopyOption.REPLACE_EXISTING);
            String where = flip(file, random, flip % 2 == 0);
            assertThatThrownBy(() -> Checkpoint.position(file))
                    .as(where)
                    .isInstanceOf(InvalidInputException.class)
                    .hasMessageContaining(name);
        }
    }

    private static TrainingOptions withListener(List<String> notes) {
        return TrainingOptions.defaults(runs.cache()).withListener(event -> {
            if (event instanceof TrainingEvent.Note note) {
                notes.add(note.text());
            }
        });
    }

    private static void restore() throws IOException {
        delete(runs.path("damaged"));
        delete(runs.cache());
        copy(folder.resolve("copy/run"), runs.path("damaged"));
        copy(folder.resolve("copy/cache"), runs.cache());
    }

    private static Path located(String file) throws IOException {
        if (file.startsWith("run/")) {
            return runs.path("damaged").resolve(file.substring("run/".length()));
        }
        String name = file.substring(file.lastIndexOf('/') + 1);
        try (Stream<Path> files = Files.walk(runs.cache())) {
            return files.filter(path -> path.getFileName().toString().matches(name.replace("*", ".*")))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Flips one bit of the first 400 bytes, or anywhere. */
    private static String flip(Path file, SplittableRandom random, boolean inHeader) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            long at = random.nextLong(inHeader ? Math.min(400, bytes.length()) : bytes.length());
            int bit = random.nextInt(8);
            bytes.seek(at);
            int old = bytes.read();
            bytes.seek(at);
            bytes.write(old ^ 1 << bit);
            return "bit " + bit + " of byte " + at + " of " + file;
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }

    private static void delete(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }
}
