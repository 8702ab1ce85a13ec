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
 * The content of {@code report-data.json}: a few of a network's matrices, and a map of the
 * descriptors. {@link ReportDataCollector} computes it.
 */
public record ReportData(List<Matrix> matrices, DescriptorMap map) {

    private static final JsonMapper JSON = Json.codec()
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .build();

    /**
     * One matrix of one image.
     *
     * @param image path within the dataset
     * @param truth name of its class
     * @param branch of the network
     * @param name such as K or Y1
     * @param size of the matrix itself
     * @param values of its first rows and columns
     * @param spectrum all eigenvalues, the largest first
     */
    public record Matrix(
            String image,
            String truth,
            String branch,
            String name,
            long size,
            List<List<Float>> values,
            List<Float> spectrum) {

        public Matrix {
            values = values.stream().map(List::copyOf).toList();
            spectrum = List.copyOf(spectrum);
        }
    }

    /**
     * Descriptors in the plane.
     *
     * @param method that found the plane
     * @param explained fractions of the variance along its axes
     */
    public record DescriptorMap(String method, List<Float> explained, List<Point> points) {

        public DescriptorMap {
            explained = List.copyOf(explained);
            points = List.copyOf(points);
        }
    }

    /**
     * One image on the map.
     *
     * @param id path within the dataset
     * @param truth number of its class
     * @param predicted number of the class that the network gave it
     */
    public record Point(String id, int truth, int predicted, float x, float y) {}

    public ReportData {
        matrices = List.copyOf(matrices);
    }

    /** Reads the object of such a file. */
    public static ReportData of(JsonNode tree) throws JsonProcessingException {
        return JSON.treeToValue(tree, ReportData.class);
    }

    /** Writes a file, complete or not at all. */
    void write(Path file) throws IOException {
        SealedJson.write(file, this);
    }
}
