package io.github.gramian.serve.http.internal;

import io.github.gramian.cli.chart.SimilarOrder;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.internal.ModelDescription;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * The matrix in a descriptor, as a picture. A descriptor is the upper triangle of a branch's matrix, entries off the diagonal
 * times √2, after normalisation and centring: the matrix as the classifier sees it. Rows and columns are ordered by
 * similarity, since their own order means nothing. A descriptor that is not a triangle is shown row by row.
 *
 * @param title what is shown
 * @param width pixels
 * @param height pixels
 * @param low the value of the darkest pixel
 * @param high the value of the lightest
 * @param pixels a byte each, 0 for low and 255 for high, in base64
 */
record MatrixPicture(String title, int width, int height, double low, double high, String pixels) {

    /** Beyond this many rows, ordering takes noticeable time and pixels get too small to see. */
    private static final int MAX_ROWS = 192;

    /** The first branch of a descriptor. */
    static MatrixPicture of(ModelDescription description, float[] descriptor) {
        BranchConfig branch = description.network().branches().get(0);
        int channels = branch.channels(description.inputChannels().get(0));
        if (branch.aggregator() instanceof AggregatorConfig.SpdMatrix spd) {
            int size = spd.matrixSize(channels);
            int shown = Math.min(size, MAX_ROWS);
            String title = (spd.transforms().isEmpty() ? "K" : "Y = WᵀKW") + ", " + size + " × " + size
                    + (shown < size ? ", its first " + shown + " rows" : "")
                    + ", as the classifier sees it, ordered by similarity";
            return drawn(title, SimilarOrder.applied(matrix(descriptor, size, shown)));
        }
        int length = Math.min(descriptor.length, MAX_ROWS * MAX_ROWS);
        int width = Math.max(1, (int) Math.ceil(Math.sqrt(length)));
        List<List<Double>> rows = new ArrayList<>();
        for (int start = 0; start < length; start += width) {
            List<Double> row = new ArrayList<>();
            for (int i = start; i < start + width; i++) {
                row.add(i < length ? (double) descriptor[i] : 0.0);
            }
            rows.add(row);
        }
        return drawn("The descriptor, row by row (this model has no kernel matrix)", rows);
    }

    private static List<List<Double>> matrix(float[] triangle, int size, int shown) {
        double[][] values = new double[shown][shown];
        for (int row = 0; row < shown; row++) {
            int start = row * size - row * (row - 1) / 2;
            for (int column = row; column < shown; column++) {
                double entry = triangle[start + column - row];
                values[row][column] = row == column ? entry : entry / Math.sqrt(2);
                values[column][row] = values[row][column];
            }
        }
        List<List<Double>> rows = new ArrayList<>();
        for (double[] row : values) {
            rows.add(Arrays.stream(row).boxed().toList());
        }
        return rows;
    }

    private static MatrixPicture drawn(String title, List<List<Double>> rows) {
        double[] sorted = rows.stream()
                .flatMap(List::stream)
                .mapToDouble(value -> value)
                .filter(Double::isFinite)
                .sorted()
                .toArray();
        // A few extreme entries would leave everything else in one colour.
        double low = sorted.length == 0 ? 0 : sorted[sorted.length / 100];
        double high = sorted.length == 0 ? 0 : sorted[sorted.length - 1 - sorted.length / 100];
        int width = rows.get(0).size();
        byte[] pixels = new byte[width * rows.size()];
        for (int i = 0; i < pixels.length; i++) {
            double value = rows.get(i / width).get(i % width);
            double share = high > low ? (value - low) / (high - low) : 0;
            pixels[i] = (byte) Math.round(255 * Math.max(0, Math.min(1, share)));
        }
        return new MatrixPicture(
                title, width, rows.size(), low, high, Base64.getEncoder().encodeToString(pixels));
    }
}
