package io.github.gramian.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** Report data, read from {@code report-data.json}: a few matrices to look at, and a map of the descriptors. */
record ReportData(List<Matrix> matrices, DescriptorMap map) {

    private static final int MOST_MATRICES = 24;
    private static final int MOST_SIDE = 128;
    private static final int MOST_EIGENVALUES = 4096;
    private static final int MOST_POINTS = 5_000;

    /**
     * One matrix of one image.
     *
     * @param size of the matrix itself; {@code values} may be a thinned-out copy
     */
    record Matrix(
            String image,
            String truth,
            String branch,
            String name,
            int size,
            List<List<Double>> values,
            List<Double> spectrum) {}

    /** Descriptors in the plane; of very many only an even sample is kept. */
    record DescriptorMap(String method, List<Double> explained, List<Point> points, int total) {}

    /** One image on the map. */
    record Point(String id, int truth, int predicted, double x, double y) {}

    static ReportData read(RunFiles files) {
        JsonNode file = files.object("report-data.json", 256 << 20);
        List<Matrix> matrices = new ArrayList<>();
        for (JsonNode matrix : file.path("matrices")) {
            if (matrices.size() < MOST_MATRICES) {
                matrices.add(matrix(matrix));
            }
        }
        JsonNode map = file.path("map");
        return new ReportData(
                List.copyOf(matrices),
                new DescriptorMap(
                        Json.text(map, "method"),
                        Json.numbers(map.path("explained"), 2),
                        points(map.path("points")),
                        map.path("points").size()));
    }

    private static Matrix matrix(JsonNode node) {
        JsonNode rows = node.path("values");
        List<List<Double>> values = new ArrayList<>();
        for (int row = 0; row < Math.min(rows.size(), MOST_SIDE); row++) {
            values.add(Json.numbers(rows.path(row), MOST_SIDE));
        }
        return new Matrix(
                Json.text(node, "image"),
                Json.text(node, "truth"),
                Json.text(node, "branch"),
                Json.text(node, "name"),
                Json.index(node, "size"),
                List.copyOf(values),
                Json.numbers(node.path("spectrum"), MOST_EIGENVALUES));
    }

    private static List<Point> points(JsonNode nodes) {
        List<Point> points = new ArrayList<>();
        double step = Math.max(1, nodes.size() / (double) MOST_POINTS);
        for (double next = 0; Math.floor(next) < nodes.size() && points.size() < MOST_POINTS; next += step) {
            JsonNode node = nodes.path((int) next);
            Point point = new Point(
                    Json.text(node, "id"),
                    Json.index(node, "truth"),
                    Json.index(node, "predicted"),
                    Json.number(node, "x"),
                    Json.number(node, "y"));
            if (Double.isFinite(point.x()) && Double.isFinite(point.y()) && point.truth() >= 0) {
                points.add(point);
            }
        }
        return List.copyOf(points);
    }
}
