package io.github.gramian.eval;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The evaluation protocol of a score: under which conditions it was measured. It starts with the data and is
 * completed step by step; what is not known yet is null. Scores are comparable only if their protocols are compatible.
 *
 * @param dataset its name
 * @param contentHash SHA-256 over names, bytes and labels of its images
 * @param protocol its name and what it means
 * @param split which of the protocol's splits, with the seed if the split is random
 * @param counts images in {@code train}, {@code val} and {@code test}
 * @param resolution side of the square that the network sees
 * @param crops what is cut from training and test images
 * @param backbone name and tap of the network that makes the features
 * @param weightsHash SHA-256 of the backbone's weights
 * @param seed of the run
 * @param hardware one line on the machine, for speeds
 */
public record EvaluationProtocol(
        String dataset,
        String contentHash,
        String protocol,
        String split,
        Map<String, Integer> counts,
        @Nullable Integer resolution,
        @Nullable String crops,
        @Nullable String backbone,
        @Nullable String weightsHash,
        @Nullable Long seed,
        @Nullable String hardware) {

    /** A field in which two protocols differ; null is an unknown value. */
    public record Difference(
            String field, @Nullable Object mine, @Nullable Object theirs) {
        @Override
        public String toString() {
            return field + ": " + mine + " against " + theirs;
        }
    }

    public EvaluationProtocol {
        for (String essential : Arrays.asList(dataset, contentHash, protocol, split)) {
            if (essential == null || essential.isBlank()) {
                throw new IllegalArgumentException(
                        "an evaluation protocol needs a dataset, its content hash, a protocol and a split");
            }
        }
        if (resolution != null && resolution < 1) {
            throw new IllegalArgumentException("resolution must be at least 1 but is " + resolution);
        }
        Objects.requireNonNull(counts, "an evaluation protocol needs the counts of its images")
                .forEach((name, count) -> {
                    if (count < 0) {
                        throw new IllegalArgumentException(
                                "the count of " + name + " must be 0 or more but is " + count);
                    }
                });
        counts = Collections.unmodifiableMap(new LinkedHashMap<>(counts));
    }

    /** The fields that follow from the dataset; the others are null. */
    public static EvaluationProtocol ofData(
            String dataset, String contentHash, String protocol, String split, Map<String, Integer> counts) {
        return new EvaluationProtocol(
                dataset, contentHash, protocol, split, counts, null, null, null, null, null, null);
    }

    /** Completed with resolution and crops. */
    public EvaluationProtocol withViews(int squareSide, String cropDescription) {
        return new EvaluationProtocol(
                dataset,
                contentHash,
                protocol,
                split,
                counts,
                squareSide,
                cropDescription,
                backbone,
                weightsHash,
                seed,
                hardware);
    }

    /** Completed with the network that makes the features. */
    public EvaluationProtocol withBackbone(String name, String sha256OfWeights) {
        return new EvaluationProtocol(
                dataset,
                contentHash,
                protocol,
                split,
                counts,
                resolution,
                crops,
                name,
                sha256OfWeights,
                seed,
                hardware);
    }

    /** Completed with the run's seed. */
    public EvaluationProtocol withSeed(long value) {
        return new EvaluationProtocol(
                dataset,
                contentHash,
                protocol,
                split,
                counts,
                resolution,
                crops,
                backbone,
                weightsHash,
                value,
                hardware);
    }

    /** Completed with the machine. */
    public EvaluationProtocol withHardware(String line) {
        return new EvaluationProtocol(
                dataset, contentHash, protocol, split, counts, resolution, crops, backbone, weightsHash, seed, line);
    }

    /**
     * Why two scores are incompatible and may not be in one ranking: the fields that matter and differ. The run's seed and
     * the machine do not matter; the seed of a random split does, and stands in the split.
     */
    public List<Difference> differences(EvaluationProtocol other) {
        Map<String, @Nullable Object> mine = fields();
        Map<String, @Nullable Object> theirs = other.fields();
        List<Difference> differences = new ArrayList<>();
        for (String field : mine.keySet()) {
            boolean matters = !field.equals("seed") && !field.equals("hardware");
            if (matters && !Objects.equals(mine.get(field), theirs.get(field))) {
                differences.add(new Difference(field, mine.get(field), theirs.get(field)));
            }
        }
        return List.copyOf(differences);
    }

    /** Whether a score under this protocol is compatible with a score under the other. */
    public boolean comparableWith(EvaluationProtocol other) {
        return differences(other).isEmpty();
    }

    /** All components by name, in the order of the record; unknown ones are null. */
    public Map<String, @Nullable Object> fields() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("dataset", dataset);
        fields.put("contentHash", contentHash);
        fields.put("protocol", protocol);
        fields.put("split", split);
        fields.put("counts", counts);
        fields.put("resolution", resolution);
        fields.put("crops", crops);
        fields.put("backbone", backbone);
        fields.put("weightsHash", weightsHash);
        fields.put("seed", seed);
        fields.put("hardware", hardware);
        return Collections.unmodifiableMap(fields);
    }
}
