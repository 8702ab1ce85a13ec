package io.github.gramian.dense.internal;

import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.Arrays;
import java.util.List;
import org.bytedeco.pytorch.DoubleOptional;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * What photographs of good parts look like: one normal distribution of the features of all cells, wherever they are. With the
 * features xₜ of layer t, averaged over 3 × 3 cells and brought to the grid of the first layer, the score of a cell is
 *
 * <pre>  s = ‖Σₜ Aₜxₜ − b‖ / √d;  Aₜ: [d × Cₜ]</pre>
 *
 * <p>the distance from the mean in standard deviations, about 1 for an ordinary cell; then the map of scores is smoothed. The score
 * of a photograph is the mean of its largest cells divided by its median cell, and a {@link Calibration} tells what it means. Aₜ is linear, so
 * {@link #reduce} may see a photograph strip by strip. Safe for use by many threads.
 */
public final class Surface implements WholePhoto.Head {

    private static final int MAX_TAPS = 8;

    /** Far more than this program writes. */
    private static final int MAX_STORED = 1 << 26;

    /** Standard deviation of the smoothing, in cells. */
    private static final double SMOOTHING = 0.75;

    private final Parts parts;
    private final int dimensions;

    /**
     * What a file stores.
     *
     * @param taps names of the layers; the first has the finest grid
     * @param projections Aₜ, [d × channels of the layer], row by row
     * @param offset b, [d]
     * @param calibration what tells good photographs from defects
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not compared
    public record Parts(List<String> taps, List<float[]> projections, float[] offset, Calibration calibration) {

        public Parts {
            taps = List.copyOf(taps);
            projections = List.copyOf(projections);
            if (taps.isEmpty() || taps.size() > MAX_TAPS || projections.size() != taps.size()) {
                throw new IllegalArgumentException("the surface has " + taps.size() + " layers and "
                        + projections.size() + " projections; 1.." + MAX_TAPS + " of both are allowed");
            }
            for (float[] projection : projections) {
                boolean fits = projection.length > 0
                        && projection.length <= MAX_STORED
                        && offset.length > 0
                        && projection.length % offset.length == 0;
                if (!fits) {
                    throw new IllegalArgumentException("a projection of the surface has " + projection.length
                            + " values, which does not fit " + offset.length + " dimensions");
                }
                Calibration.requireFinite(projection);
            }
            Calibration.requireFinite(offset);
        }
    }

    public Surface(Parts parts) {
        this.parts = parts;
        this.dimensions = parts.offset.length;
    }

    /** What a file stores. */
    public Parts parts() {
        return parts;
    }

    /** The same with another rate of false alarms; refuses one that so few good photographs cannot promise. */
    public Surface withRate(double rate) {
        return new Surface(new Parts(parts.taps, parts.projections, parts.offset, parts.calibration.withRate(rate)));
    }

    /** The layers whose features it takes; the first has the finest grid. */
    @Override
    public List<String> taps() {
        return parts.taps;
    }

    /**
     * Aₜx of every cell.
     *
     * @param tap index of the layer
     * @param rows some rows of its feature maps: [1, channels, rows, width], in float
     * @return [1, d, rows, width]
     */
    @Override
    public Tensor reduce(int tap, Tensor rows) {
        return projected(rows, parts.projections.get(tap), dimensions, parts.taps.get(tap));
    }

    /** Every cell's features, multiplied by a matrix [outputs × channels]. */
    static Tensor projected(Tensor rows, float[] matrix, int outputs, String tap) {
        int channels = matrix.length / outputs;
        if (rows.dim() != 4 || rows.size(0) != 1 || rows.size(1) != channels) {
            throw new IllegalArgumentException("the layer " + tap + " has feature maps [1, " + channels
                    + ", rows, width], but these are "
                    + Arrays.toString(rows.sizes().vec().get())
                    + "; use the backbone that the model was trained with");
        }
        try (Scope scope = Scope.open()) {
            Tensor weights = torch.tensor(matrix).reshape(outputs, channels).t();
            return scope.promote(rows.permute(0, 2, 3, 1).matmul(weights).permute(0, 3, 1, 2));
        }
    }

    /**
     * The map of scores.
     *
     * @param reduced the {@linkplain #reduce reduced} maps of all layers of a whole photograph
     * @return [height, width] of the first layer, in the caller's scope
     */
    public Tensor scores(List<Tensor> reduced) {
        try (Scope scope = Scope.open()) {
            Tensor offset = torch.tensor(parts.offset).reshape(1, dimensions, 1, 1);
            Tensor squares = joined(reduced).sub(offset).square().mean(new long[] {1}, true, new ScalarTypeOptional());
            return scope.promote(smoothed(squares.sqrt()).squeeze());
        }
    }

    /** The judgement of a photograph from its reduced maps. */
    public Calibration.Scores judge(List<Tensor> reduced) {
        try (Scope scope = Scope.open()) {
            Tensor map = scores(reduced);
            return parts.calibration.judge(HostCopy.floats(map), Math.toIntExact(map.size(1)));
        }
    }

    /** The sum of maps after averaging and on the first one's grid. */
    private static Tensor joined(List<Tensor> maps) {
        Tensor sum = averaged(maps.get(0));
        for (Tensor map : maps.subList(1, maps.size())) {
            sum = sum.add(onGridOf(maps.get(0), averaged(map)));
        }
        return sum;
    }

    /** The features of all layers for every cell, averaged and on the first layer's grid: [cells, channels of all layers]. */
    public static Tensor cells(List<Tensor> maps) {
        try (Scope scope = Scope.open()) {
            Tensor[] parts = maps.stream()
                    .map(map -> onGridOf(maps.get(0), averaged(map)))
                    .toArray(Tensor[]::new);
            Tensor joined = torch.cat(new TensorVector(parts), 1);
            return scope.promote(joined.flatten(2, 3).squeeze(0).t());
        }
    }

    /** The mean of 3 × 3 cells; at a border, of those that exist. maps: [1, channels, height, width]. */
    private static Tensor averaged(Tensor maps) {
        long[] window = {3, 3};
        long[] one = {1, 1};
        return torch.avg_pool2d(maps, window, one, one, false, false, new LongOptional());
    }

    /** Maps, interpolated between the centres of their cells. */
    private static Tensor onGridOf(Tensor finest, Tensor maps) {
        long[] size = {finest.size(2), finest.size(3)};
        return torch.upsample_bilinear2d(maps, size, false, new DoubleOptional(), new DoubleOptional());
    }

    /** A map [1, 1, height, width], smoothed; cells beyond a border equal the nearest one inside. */
    public static Tensor smoothed(Tensor map) {
        float[] kernel = smoothing();
        int radius = kernel.length / 2;
        Tensor weights = torch.tensor(kernel);
        Tensor padded = torch.replication_pad2d(map, radius, radius, radius, radius);
        Tensor columns = convolved(padded, weights.reshape(1, 1, kernel.length, 1));
        return convolved(columns, weights.reshape(1, 1, 1, kernel.length));
    }

    /** The weights of neighbours in a row or column when the map of scores is smoothed: an odd number, with a sum of 1. */
    public static float[] smoothing() {
        int radius = (int) Math.ceil(2 * SMOOTHING);
        float[] kernel = new float[2 * radius + 1];
        float sum = 0;
        for (int i = 0; i < kernel.length; i++) {
            double distance = (i - radius) / SMOOTHING;
            kernel[i] = (float) Math.exp(-distance * distance / 2);
            sum += kernel[i];
        }
        for (int i = 0; i < kernel.length; i++) {
            kernel[i] /= sum;
        }
        return kernel;
    }

    private static Tensor convolved(Tensor map, Tensor kernel) {
        return torch.conv2d(
                map, kernel, new TensorOptional(), new long[] {1, 1}, new long[] {0, 0}, new long[] {1, 1}, 1);
    }
}
