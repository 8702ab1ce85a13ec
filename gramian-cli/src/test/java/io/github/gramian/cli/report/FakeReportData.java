package io.github.gramian.cli.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.DoubleStream;

/** Matrices and a map of descriptors, as a training writes them. */
record FakeReportData(List<String> classes, List<Map<String, Object>> predictions, Random random) {

    Map<String, Object> toMap() {
        List<Object> matrices = new ArrayList<>();
        for (int image = 0; image < Math.min(3, classes.size()); image++) {
            matrices.add(matrix("K", image, 256, 64, false));
            matrices.add(matrix("Y", image, 128, 64, true));
        }
        List<Object> points = new ArrayList<>();
        for (Map<String, Object> prediction : predictions) {
            int truth = (Integer) prediction.getOrDefault("truth", 0);
            int towards = (Integer) prediction.getOrDefault("predicted", 0);
            Map<String, Object> point = new LinkedHashMap<>(prediction);
            point.remove("confidence");
            double x = 0.5 * (centre(truth, 0) + centre(towards, 0));
            double y = 0.5 * (centre(truth, 1) + centre(towards, 1));
            point.put("x", x + 0.06 * random.nextGaussian());
            point.put("y", y + 0.05 * random.nextGaussian());
            points.add(point);
        }
        return Map.of(
                "matrices",
                matrices,
                "map",
                Map.of("method", "PCA", "explained", List.of(0.31, 0.12), "points", points));
    }

    private static double centre(int number, int axis) {
        double turn = number * 2.399963;
        return Math.sqrt(number + 0.5) * 0.2 * (axis == 0 ? Math.cos(turn) : Math.sin(turn));
    }

    private Map<String, Object> matrix(String name, int truth, int size, int side, boolean signed) {
        double[][] values = new double[side][side];
        for (int i = 0; i < side; i++) {
            for (int j = 0; j <= i; j++) {
                double near = Math.exp(-Math.pow((i - j) / (6.0 + 4 * truth), 2));
                double grain = 0.2 * Math.abs(Math.sin(i * 0.9 + truth) * Math.sin(j * 0.9 + truth));
                double value = i == j ? 1 : signed ? near - 0.3 * Math.cos((i + j) / 5.0) : 0.75 * near + grain;
                values[i][j] = value;
                values[j][i] = value;
            }
        }
        return Map.of(
                "image",
                truth + "/0.png",
                "truth",
                classes.get(truth),
                "branch",
                "res5c@224",
                "name",
                name,
                "size",
                size,
                "values",
                values,
                "spectrum",
                DoubleStream.iterate(60, value -> value * (signed ? 0.95 : 0.94))
                        .limit(size)
                        .toArray());
    }
}
