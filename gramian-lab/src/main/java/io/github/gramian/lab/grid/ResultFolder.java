package io.github.gramian.lab.grid;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.json.internal.Json;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.SealedJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where the results of grids are: {@code dataset/method/s1-r1.json} for each run, {@code dataset/images-….json} for their
 * test images, {@code runs/dataset/method/s1-r1/} for a training that is not finished.
 *
 * @param path the folder
 */
public record ResultFolder(Path path) {

    public Path result(GridRun run) {
        return path.resolve(run.place() + ".json");
    }

    /** The result of a run on corrupted images. */
    Path robustness(GridRun run) {
        return path.resolve(run.place() + RobustnessResult.ENDING);
    }

    /** Why a run failed when it was last tried. */
    public Path failure(GridRun run) {
        return path.resolve(run.place() + ".failed.txt");
    }

    public Path training(GridRun run) {
        return path.resolve("runs").resolve(run.place());
    }

    /** Whether the result is there; that of another recipe does not count, and is refused. */
    public boolean isDone(GridRun run, boolean redo) throws IOException {
        if (!Files.exists(result(run))) {
            return false;
        }
        if (RunResult.read(result(run)).isOf(run.portableRecipe())) {
            return true;
        }
        if (!redo) {
            throw new IllegalArgumentException(
                    result(run) + " is the result of a recipe that differs from the grid's; give the"
                            + " method another name, choose another --out, or replace such results with --redo");
        }
        return false;
    }

    /** Makes sure that what a stopped training left in its folder belongs to this recipe. */
    void claimTraining(GridRun run, boolean redo) throws IOException {
        RunFolder folder = new RunFolder(training(run));
        if (Files.exists(folder.recipe())
                && !RecipeFile.readStored(folder.recipe()).equals(run.recipe())) {
            if (!redo) {
                throw new IllegalArgumentException(
                        folder.path() + " is an unfinished run of another recipe, or of images"
                                + " or weights in another directory; delete it, or let it be replaced with --redo");
            }
            delete(folder.path());
        }
    }

    void noteFailure(GridRun run, String message) throws IOException {
        AtomicFile.writeText(failure(run), message + "\n");
    }

    /** Deletes a training's folder, and those above it that are empty then. */
    void clean(GridRun run) throws IOException {
        delete(training(run));
        Path above = training(run).getParent();
        while (above != null && !above.equals(path)) {
            try (Stream<Path> left = Files.list(above)) {
                if (left.findAny().isPresent()) {
                    return;
                }
            }
            Files.deleteIfExists(above);
            above = above.getParent();
        }
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        List<Path> all;
        try (Stream<Path> walk = Files.walk(folder)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path one : all) {
            Files.deleteIfExists(one);
        }
    }

    /**
     * The tree of a file.
     *
     * @throws IllegalArgumentException if it has a checksum of another text; older files have none
     */
    static JsonNode read(Path file) throws IOException {
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        if (SealedJson.isDamaged(text)) {
            throw new IllegalArgumentException("it is damaged, since its checksum does not match");
        }
        return Json.parse(text);
    }

    /**
     * The result in a file.
     *
     * @param what it should be, for the message
     */
    static <T> T read(Path file, Class<T> type, String what) throws IOException {
        try {
            return Json.value(read(file), type);
        } catch (JsonProcessingException | IllegalArgumentException e) {
            String reason = e instanceof JsonProcessingException json ? Json.reason(json) : e.getMessage();
            throw new IllegalArgumentException(
                    file + " is not " + what + ": " + reason + "; delete it and run the grid again", e);
        }
    }

    /** Writes a value with its checksum, atomically. */
    static void write(Path file, Object value) throws IOException {
        SealedJson.write(file, value);
    }
}
