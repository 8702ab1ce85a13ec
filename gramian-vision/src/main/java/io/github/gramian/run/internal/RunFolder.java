package io.github.gramian.run.internal;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the files of a run are.
 *
 * @param path the run directory
 */
public record RunFolder(Path path) {

    public Path recipe() {
        return path.resolve("recipe.yaml");
    }

    /** Whether a training has written here, finished or not; the directory of anything else has no recipe. */
    public boolean isStarted() {
        return Files.exists(recipe());
    }

    /** The lock of the training that writes here. */
    Path lock() {
        return path.resolve("lock");
    }

    public Path inputs() {
        return path.resolve("inputs.json");
    }

    /** The default feature cache of a run: next to its directory. */
    public static Path cacheNextTo(Path directory) {
        return directory.toAbsolutePath().normalize().resolveSibling("features");
    }

    public Path model() {
        return path.resolve("model.gramian");
    }

    /** Scores on the test images, as JSON. */
    public Path scores() {
        return path.resolve("scores.json");
    }

    /** The prediction for every test image, a line of JSON each. */
    public Path predictions() {
        return path.resolve("predictions.jsonl");
    }

    /** Accuracies on corrupted images, as JSON. */
    public Path robustness() {
        return path.resolve("robustness.json");
    }

    /** The same as CSV. */
    public Path robustnessTable() {
        return path.resolve("robustness.csv");
    }

    /** Report data: matrices and the map of descriptors. */
    public Path reportData() {
        return path.resolve("report-data.json");
    }

    /** Training images with suspicious labels, as JSON. */
    public Path suspects() {
        return path.resolve("suspects.json");
    }

    /** Epochs and fits, a line of JSON each. */
    public Path events() {
        return path.resolve("events.jsonl");
    }

    public Path report() {
        return path.resolve("report.html");
    }

    public Path last(int stage) {
        return checkpoints().resolve("stage" + stage + "-last.safetensors");
    }

    /** The best weights of a stage so far. */
    public Path best(int stage) {
        return checkpoints().resolve("stage" + stage + "-best.safetensors");
    }

    /** The newest checkpoint of a stage of the final retraining, on training and validation images together. */
    public Path lastOnAll(int stage) {
        return checkpoints().resolve("stage" + stage + "-all-last.safetensors");
    }

    /** The selection on validation images, for the final retraining. */
    public Path choice() {
        return checkpoints().resolve("choice.json");
    }

    private Path checkpoints() {
        return path.resolve("checkpoints");
    }
}
