package io.github.gramian.lab.grid;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.internal.SealedJson;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The stored result of one run of a grid: everything that a table or a test needs, in a few kilobytes. Its file has the components
 * of its parts side by side, in the order in which they stand here.
 *
 * @param cell which run it was
 * @param measured quality of the model
 * @param footprint cost of the model
 * @param passport evaluation protocol of the scores
 * @param recipe complete, without folders of the machine it ran on; as it was written, since recipes grow
 * @param answers predictions of the test images
 */
public record RunResult(
        @JsonUnwrapped Cell cell,
        @JsonUnwrapped Measured measured,
        @JsonUnwrapped Footprint footprint,
        EvaluationProtocol passport,
        JsonNode recipe,
        @JsonUnwrapped Answers answers) {

    /**
     * The run's place in its grid.
     *
     * @param grid its name
     * @param method name within the grid
     * @param label of the method for people
     * @param dataset name within the grid
     * @param split of the dataset's protocol
     * @param seed of everything random
     */
    public record Cell(String grid, String method, String label, String dataset, int split, long seed) {

        /** As results are listed. */
        static final Comparator<Cell> ORDER = Comparator.comparing(Cell::dataset)
                .thenComparing(Cell::grid)
                .thenComparing(Cell::method)
                .thenComparing(Cell::split)
                .thenComparing(Cell::seed);

        /** Where its files are among the results, without an ending: {@code dtd/kernel/s1-r1}. */
        String place() {
            return dataset + "/" + method + "/s" + split + "-r" + seed;
        }

        String describe() {
            return grid + ": " + place();
        }
    }

    /**
     * Quality of the model.
     *
     * @param validationAccuracy that chose settings; null without validation images
     * @param scores on the test images: accuracy, interval, means over classes, calibration
     */
    public record Measured(@Nullable Double validationAccuracy, JsonNode scores) {

        public Measured {
            if (!scores.path("accuracy").isNumber()) {
                throw new IllegalArgumentException("the scores have no accuracy");
            }
        }
    }

    /**
     * Predictions of a model.
     *
     * @param images hash of the {@link ImageList} that the predictions are for
     * @param predicted number of the most probable class, in the order of the list
     */
    public record Answers(String images, List<Integer> predicted) {

        public Answers {
            predicted = List.copyOf(predicted);
        }
    }

    /**
     * Sizes and times.
     *
     * @param descriptorLength dimensions of a descriptor
     * @param trainable number of trainable values
     * @param seconds by part, {@code total} among them
     * @param peakMemory bytes above what the process held before the run; null if the system does not report it
     * @param modelBytes size of the model file
     */
    public record Footprint(
            int descriptorLength,
            long trainable,
            SortedMap<String, Double> seconds,
            @Nullable Long peakMemory,
            long modelBytes) {

        public Footprint {
            seconds = Collections.unmodifiableSortedMap(new TreeMap<>(seconds));
        }
    }

    /** Fraction of the test images that were predicted correctly. */
    public double accuracy() {
        return measured.scores().path("accuracy").asDouble();
    }

    /** From the start to the scores, however often it was stopped in between. */
    public double totalSeconds() {
        return footprint.seconds().getOrDefault("total", 0.0);
    }

    /** Whether it is the result of this recipe; keys that recipes did not have yet count as left at their defaults. */
    boolean isOf(Recipe portable) {
        try {
            return RecipeFile.merged(List.of(recipe), List.of()).equals(portable);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Writes it atomically. */
    void write(Path file) throws IOException {
        SealedJson.write(file, this);
    }

    public static RunResult read(Path file) throws IOException {
        return ResultFolder.read(file, RunResult.class, "a result of a run");
    }

    /**
     * The test images of a split, sorted by id, and their true classes. Runs on the same images share one file of them; a run
     * refers to it by its hash.
     *
     * @param ids paths within the dataset
     * @param truths number of each image's class
     */
    @JsonPropertyOrder({"sha256", "ids", "truths"})
    public record ImageList(List<String> ids, List<Integer> truths) {

        public ImageList {
            if (ids.size() != truths.size()) {
                throw new IllegalArgumentException(ids.size() + " images have " + truths.size() + " true classes");
            }
            ids = List.copyOf(ids);
            truths = List.copyOf(truths);
        }

        /** SHA-256 over ids and truths. */
        @JsonProperty(access = JsonProperty.Access.READ_ONLY)
        public String sha256() {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < ids.size(); i++) {
                text.append(ids.get(i)).append('\t').append(truths.get(i)).append('\n');
            }
            return Sha256.of(text.toString());
        }

        /** Writes the list into a dataset's folder of results unless one of its files holds the same. */
        void keep(ResultFolder results, RunResult.Cell cell) throws IOException {
            Path folder = results.path().resolve(cell.dataset());
            String sum = sha256();
            AtomicFile.makeFolder(folder);
            if (find(folder, sum).isPresent()) {
                return;
            }
            Path file = folder.resolve("images-s" + cell.split() + "-r" + cell.seed() + ".json");
            if (Files.exists(file)) {
                file = folder.resolve(
                        "images-s" + cell.split() + "-r" + cell.seed() + "-" + sum.substring(0, 8) + ".json");
            }
            SealedJson.write(file, this);
        }

        /** Some of the images, by their indices. */
        ImageList some(int[] indices) {
            return new ImageList(
                    Arrays.stream(indices).mapToObj(ids::get).toList(),
                    Arrays.stream(indices).mapToObj(truths::get).toList());
        }

        /** The list with this hash among the lists in a dataset's folder of results. */
        static Optional<ImageList> find(Path folder, String sum) throws IOException {
            try (DirectoryStream<Path> lists = Files.newDirectoryStream(folder, "images-*.json")) {
                for (Path file : lists) {
                    ImageList list = read(file);
                    if (list.sha256().equals(sum)) {
                        return Optional.of(list);
                    }
                }
            }
            return Optional.empty();
        }

        public static ImageList read(Path file) throws IOException {
            return ResultFolder.read(file, ImageList.class, "a list of images");
        }
    }
}
