package io.github.gramian.cli.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.io.internal.Text;
import io.github.gramian.run.internal.ReportData;
import java.util.ArrayList;
import java.util.List;

/**
 * As much of {@code report-data.json} as fits on a page of sensible size.
 *
 * @param map with an even sample where there are very many points
 * @param total points in the file
 */
record ShownData(List<ReportData.Matrix> matrices, ReportData.DescriptorMap map, int total) {

    private static final String FILE = "report-data.json";
    private static final int MAX_BYTES = 256 << 20;
    private static final int MAX_MATRICES = 24;
    private static final int MAX_SIDE = 128;
    private static final int MAX_EIGENVALUES = 4096;
    private static final int MAX_POINTS = 5_000;
    private static final ShownData NOTHING =
            new ShownData(List.of(), new ReportData.DescriptorMap("", List.of(), List.of()), 0);

    static ShownData read(RunFiles files) {
        JsonNode tree = files.object(FILE, MAX_BYTES);
        if (tree.isMissingNode()) {
            return NOTHING;
        }
        try {
            return of(ReportData.of(tree));
        } catch (JsonProcessingException e) {
            files.note(FILE + " is not what a training writes and is left out.");
            return NOTHING;
        }
    }

    private static ShownData of(ReportData data) {
        ReportData.DescriptorMap map = data.map();
        return new ShownData(
                first(MAX_MATRICES, data.matrices()).stream()
                        .map(ShownData::bounded)
                        .toList(),
                new ReportData.DescriptorMap(text(map.method()), map.explained(), sample(map.points())),
                map.points().size());
    }

    private static ReportData.Matrix bounded(ReportData.Matrix matrix) {
        return new ReportData.Matrix(
                text(matrix.image()),
                text(matrix.truth()),
                text(matrix.branch()),
                text(matrix.name()),
                matrix.size(),
                first(MAX_SIDE, matrix.values()).stream()
                        .map(row -> first(MAX_SIDE, row))
                        .toList(),
                first(MAX_EIGENVALUES, matrix.spectrum()));
    }

    private static List<ReportData.Point> sample(List<ReportData.Point> all) {
        List<ReportData.Point> points = new ArrayList<>();
        double step = Math.max(1, all.size() / (double) MAX_POINTS);
        for (double next = 0; Math.floor(next) < all.size() && points.size() < MAX_POINTS; next += step) {
            ReportData.Point point = all.get((int) next);
            if (Float.isFinite(point.x()) && Float.isFinite(point.y()) && point.truth() >= 0) {
                points.add(
                        new ReportData.Point(text(point.id()), point.truth(), point.predicted(), point.x(), point.y()));
            }
        }
        return points;
    }

    private static String text(String any) {
        return Text.shortened(any, RunFiles.MAX_CHARACTERS);
    }

    private static <T> List<T> first(int most, List<T> list) {
        return list.subList(0, Math.min(most, list.size()));
    }
}
