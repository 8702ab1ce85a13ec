package io.github.gramian.run.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.json.internal.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The content of {@code suspects.json}: images that the model has learned from, and whose labels the other images contradict.
 *
 * @param images number of images that were compared
 * @param accuracy share of images whose label is predicted without them
 * @param suspects the most suspicious first
 */
public record TrainingSuspects(int images, double accuracy, List<Suspect> suspects) {

    private static final JsonMapper JSON = Json.codec()
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .build();

    /**
     * An image whose label is probably wrong.
     *
     * @param file path within the dataset
     * @param given its label
     * @param suggested the label that the other images suggest
     * @param score how much more probable the suggested label is: its probability over the sum of both, 0.5 to 1
     */
    public record Suspect(String file, String given, String suggested, double score) {}

    public TrainingSuspects {
        suspects = List.copyOf(suspects);
    }

    /** Reads the object of such a file. */
    public static TrainingSuspects of(JsonNode tree) throws JsonProcessingException {
        return JSON.treeToValue(tree, TrainingSuspects.class);
    }

    /** Writes a file, complete or not at all. */
    public void write(Path file) throws IOException {
        SealedJson.write(file, this);
    }
}
