package io.github.gramian.run.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.io.internal.GramianVersion;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.TrainingException;
import io.github.gramian.tensor.internal.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Hashes of the inputs of a run: its recipe, the weights of its backbone, and its images with their classes and splits. A
 * run can only be resumed with the same inputs. Its directory stores them, to name what was changed; its checkpoints
 * store their hashes.
 *
 * @param recipe hash of the recipe without its paths
 * @param weights hash of the backbone's file
 * @param images by path
 * @param leftOut paths of the images that could not be used
 */
public record RunInputs(String recipe, String weights, SortedMap<String, Use> images, SortedSet<String> leftOut) {

    private static final int NAMED = 3;

    /** An image's content and what it is used for. */
    record Use(String split, String label, String sha256) {}

    /**
     * The current inputs.
     *
     * @param sums hashes of the files, in the order of the dataset's samples; empty for one that cannot be read
     * @param leftOut ids of samples that cannot be used
     */
    public static RunInputs of(
            Recipe recipe, String weights, Dataset dataset, List<Optional<String>> sums, Set<String> leftOut) {
        Map<String, String> splits = new HashMap<>();
        for (Split split : Split.values()) {
            dataset.samples(split).forEach(sample -> splits.put(sample.id(), split.key()));
        }
        SortedMap<String, Use> images = new TreeMap<>();
        SortedSet<String> unused = new TreeSet<>();
        for (int i = 0; i < sums.size(); i++) {
            Sample sample = dataset.samples().get(i);
            images.put(
                    sample.path(),
                    new Use(
                            splits.getOrDefault(sample.id(), "no split"),
                            dataset.classes().get(sample.label()),
                            sums.get(i).orElse("-")));
            if (leftOut.contains(sample.id())) {
                unused.add(sample.path());
            }
        }
        return new RunInputs(Sha256.of(RecipeFile.text(recipe.on("", ""))), weights, images, unused);
    }

    /** For checkpoints: a hash of each kind of input. */
    public Map<String, String> hashes() {
        Map<String, String> hashes = new LinkedHashMap<>();
        hashes.put("recipe", recipe);
        hashes.put("images", Sha256.of(images + "\n" + leftOut));
        hashes.put("backbone weights", weights);
        return hashes;
    }

    /**
     * Refuses to resume a run with other inputs. Called before features are computed, when it is not known yet
     * which images must be left out, and after.
     */
    public void requireUnchanged(RunFolder folder, boolean leftOutKnown) throws IOException {
        if (!isStarted(folder) || !Files.exists(folder.inputs())) {
            return;
        }
        Optional<RunInputs> stored = stored(folder);
        if (stored.isEmpty()) {
            return; // the checkpoints store the hashes, too
        }
        List<String> changes = changesSince(stored.get(), leftOutKnown);
        if (!changes.isEmpty()) {
            throw new TrainingException(folder.path() + " was started with other inputs: " + String.join("; ", changes)
                    + ". Put everything back as it was, or start a new run with another --out");
        }
    }

    /** Stores them in the run directory, with the arithmetic. */
    public void keep(RunFolder folder, Arithmetic arithmetic) throws IOException {
        Map<String, List<String>> uses = new TreeMap<>();
        images.forEach((path, use) -> uses.put(path, List.of(use.split(), use.label(), use.sha256())));
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("recipe", recipe);
        all.put("weights", weights);
        all.put("images", uses);
        all.put("leftOut", leftOut);
        all.put(Arithmetic.KEY, arithmetic.used());
        SealedJson.write(folder.inputs(), all);
    }

    static boolean isStarted(RunFolder folder) {
        return Files.exists(folder.last(1)) || Files.exists(folder.last(2)) || Files.exists(folder.model());
    }

    private static Optional<RunInputs> stored(RunFolder folder) throws IOException {
        JsonNode all;
        try {
            all = SealedJson.read(folder.inputs());
        } catch (TrainingException e) {
            return Optional.empty();
        }
        SortedMap<String, Use> images = new TreeMap<>();
        for (Map.Entry<String, JsonNode> image : all.path("images").properties()) {
            JsonNode use = image.getValue();
            images.put(
                    image.getKey(),
                    new Use(
                            use.path(0).asText(),
                            use.path(1).asText(),
                            use.path(2).asText()));
        }
        SortedSet<String> leftOut = new TreeSet<>();
        all.path("leftOut").forEach(path -> leftOut.add(path.asText()));
        return Optional.of(
                new RunInputs(all.path("recipe").asText(), all.path("weights").asText(), images, leftOut));
    }

    private List<String> changesSince(RunInputs then, boolean leftOutKnown) {
        List<String> changes = new ArrayList<>();
        if (!recipe.equals(then.recipe)) {
            changes.add("the recipe is another");
        }
        if (!weights.equals(then.weights)) {
            changes.add("the backbone's weights are others (SHA-256 " + then.weights + " then, " + weights + " now)");
        }
        Map<String, List<String>> paths = new LinkedHashMap<>();
        images.forEach((path, use) -> {
            Use before = then.images.get(path);
            if (!use.equals(before)) {
                note(paths, before == null ? "is new" : difference(before, use), path);
            }
        });
        then.images.keySet().stream()
                .filter(path -> !images.containsKey(path))
                .forEach(path -> note(paths, "is gone", path));
        if (leftOutKnown) {
            leftOut.stream()
                    .filter(path -> !then.leftOut.contains(path))
                    .forEach(path -> note(paths, "fails now", path));
            then.leftOut.stream()
                    .filter(path -> !leftOut.contains(path))
                    .forEach(path -> note(paths, "failed then and can be read now", path));
        }
        paths.forEach((what, which) -> changes.add(some(which) + " " + what));
        return changes;
    }

    private static void note(Map<String, List<String>> paths, String what, String path) {
        paths.computeIfAbsent(what, first -> new ArrayList<>()).add(path);
    }

    private static String difference(Use then, Use now) {
        return !now.sha256().equals(then.sha256())
                ? "has different content"
                : !now.label().equals(then.label()) ? "has a different class" : "is used for another split";
    }

    private static String some(List<String> paths) {
        String named = String.join(", ", paths.subList(0, Math.min(NAMED, paths.size())));
        return paths.size() <= NAMED ? named : named + " and " + (paths.size() - NAMED) + " more";
    }

    /**
     * What rounding depends on in addition to the inputs of a run: versions, BLAS, instructions, threads, processes. A run may be resumed with
     * another one, but its result then differs from an uninterrupted run, which must be reported.
     *
     * @param used a line for each that the run was computed with, in order, the current one last
     */
    public record Arithmetic(List<String> used) {

        static final String KEY = "arithmetic";

        public Arithmetic {
            used = List.copyOf(used);
        }

        /** The current one, after those that the run directory stores. */
        public static Arithmetic in(RunFolder folder, int processes) throws IOException {
            List<String> used = new ArrayList<>(stored(folder));
            String now = line(processes);
            if (used.isEmpty() || !used.get(used.size() - 1).equals(now)) {
                used.add(now);
            }
            return new Arithmetic(used);
        }

        private static String line(int processes) {
            Engine.Description engine = Engine.describe();
            return "Gramian " + GramianVersion.text() + ", " + engine.line() + ", CPU with "
                    + String.join(" ", engine.cpuFeatures()) + ", rounding " + Engine.rounding() + ", processes: "
                    + processes;
        }

        private static List<String> stored(RunFolder folder) throws IOException {
            List<String> lines = new ArrayList<>();
            if (RunInputs.isStarted(folder) && Files.exists(folder.inputs())) {
                try {
                    for (JsonNode line : SealedJson.read(folder.inputs()).path(KEY)) {
                        lines.add(line.asText());
                    }
                } catch (TrainingException e) {
                    return List.of(); // it is written again
                }
            }
            return lines;
        }

        /** A warning about a run that was computed with several. */
        public Optional<String> warning() {
            return used.size() < 2
                    ? Optional.empty()
                    : Optional.of(
                            "parts of this run were computed with different arithmetic (" + String.join("; then ", used)
                                    + "): its result may differ in rounding from that of an uninterrupted run");
        }
    }
}
