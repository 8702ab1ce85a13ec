package io.github.gramian.lab.grid;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.github.gramian.json.internal.Json;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.internal.RunFolder;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
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

    public Path result(Grid.Run run) {
        return path.resolve(run.place() + ".json");
    }

    /** The result of a run on corrupted images. */
    Path robustness(Grid.Run run) {
        return path.resolve(run.place() + RobustnessResult.ENDING);
    }

    /** Why a run failed when it was last tried. */
    public Path failure(Grid.Run run) {
        return path.resolve(run.place() + ".failed.txt");
    }

    public Path training(Grid.Run run) {
        return path.resolve("runs").resolve(run.place());
    }

    /** Whether the result is there; that of another recipe does not count, and is refused. */
    public boolean isDone(Grid.Run run, boolean redo) throws IOException {
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
    void claimTraining(Grid.Run run, boolean redo) throws IOException {
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

    /** Deletes a training's folder, and those above it that are empty then. */
    void clean(Grid.Run run) throws IOException {
        delete(training(run));
        Path above = training(run).getParent();
        while (above != null && !above.equals(path)) {
            try {
                Files.deleteIfExists(above);
            } catch (DirectoryNotEmptyException e) {
                return;
            }
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
     * The result in a file.
     *
     * @param what it should be, for the message
     */
    static <T> T read(Path file, Class<T> type, String what) throws IOException {
        try {
            return Json.value(Json.parse(Files.readString(file)), type);
        } catch (JsonProcessingException | IllegalArgumentException e) {
            String reason = e instanceof JsonProcessingException json ? Json.reason(json) : e.getMessage();
            throw new IllegalArgumentException(
                    file + " is not " + what + ": " + reason + "; delete it and run the grid again", e);
        }
    }
}
