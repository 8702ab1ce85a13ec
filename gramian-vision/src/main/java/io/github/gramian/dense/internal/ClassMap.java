package io.github.gramian.dense.internal;

import static io.github.gramian.tensor.Scalars.optional;
import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.certainty.internal.Novelty;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * The classes of the cells of a photograph, by a linear classifier of the features around each cell. A cell is a position of the
 * feature maps of one layer. With the features x of the cells in a square window around a cell,
 *
 * <pre>
 *  z = P · mean(x);   u = z/‖z‖;   p(class) = softmax(temperature · (W u + b))
 *  p-value = (1 + photographs · share of calibration scores ≥ the novelty score of u) / (1 + photographs)
 * </pre>
 *
 * <p>The projection P is linear, so {@link #reduce} may see a photograph strip by strip, and only the reduced maps must be in
 * memory. The novelty of a cell is that of an image ({@link Novelty}), but the windows of one photograph are alike, so n
 * photographs calibrate no p-value below 1/(n + 1). Safe for use by many threads.
 */
public final class ClassMap implements WholePhoto.Head {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    /** Cells whose scores are computed together: some megabytes. */
    private static final long PORTION = 1 << 13;

    /** Far more than this program writes. */
    private static final int MAX_STORED = 1 << 26;

    private static final int MAX_WINDOW = 255;

    private final Parts parts;
    private final int components;
    private final int channels;

    /**
     * What a file stores.
     *
     * @param tap name of the layer
     * @param window side of the window, an odd number of cells
     * @param basis P, [components × channels], row by row
     * @param weight W, [classes × components], row by row
     * @param bias b, one for each class
     * @param temperature factor of the scores, positive
     * @param novelty of vectors u; empty if there were too few photographs to fit it
     * @param photographs number of independent photographs (or groups) that the calibration scores of the novelty come from
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not compared
    public record Parts(
            String tap,
            int window,
            float[] basis,
            float[] weight,
            float[] bias,
            float temperature,
            Optional<Novelty> novelty,
            int photographs) {

        public Parts {
            if (tap.isBlank()) {
                throw new IllegalArgumentException("the class map names no layer");
            }
            if (window < 1 || window > MAX_WINDOW || window % 2 == 0) {
                throw new IllegalArgumentException("the window of the class map has " + window + " cells a side");
            }
            int classes = bias.length;
            int components = classes == 0 ? 0 : weight.length / classes;
            boolean fits = components > 0
                    && (long) components * classes == weight.length
                    && basis.length >= components
                    && basis.length % components == 0
                    && basis.length <= MAX_STORED;
            if (!fits) {
                throw new IllegalArgumentException("the arrays of the class map do not fit each other: "
                        + basis.length + " numbers of the basis, " + weight.length + " of the weights, " + classes
                        + " classes");
            }
            for (float[] values : List.of(basis, weight, bias)) {
                for (float value : values) {
                    if (!Float.isFinite(value)) {
                        throw new IllegalArgumentException("a value of the class map is " + value);
                    }
                }
            }
            if (!(temperature > 0 && Float.isFinite(temperature))) {
                throw new IllegalArgumentException("the temperature of the class map is " + temperature);
            }
            novelty.ifPresent(known -> {
                if (known.size() != components) {
                    throw new IllegalArgumentException("the novelty of the class map takes vectors of " + known.size()
                            + " dimensions, and the map has " + components);
                }
                if (photographs < 1 || photographs > known.calibrationCount()) {
                    throw new IllegalArgumentException("the class map has " + known.calibrationCount()
                            + " calibration scores of " + photographs + " photographs");
                }
            });
        }
    }

    /**
     * The answer for each cell of a photograph, row by row.
     *
     * @param height number of rows
     * @param width number of columns
     * @param classes number of classes
     * @param likeliest index of the most likely class
     * @param probabilities of the most likely class
     * @param pValues of the novelty: small for a cell that looks like no class
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not compared
    public record Cells(int height, int width, int classes, int[] likeliest, float[] probabilities, float[] pValues) {

        /** The class of each cell, or the number of classes for a cell whose p-value is below the level: it is unknown. */
        public int[] labels(double level) {
            int[] labels = likeliest.clone();
            for (int i = 0; i < labels.length; i++) {
                labels[i] = pValues[i] < level ? classes : labels[i];
            }
            return labels;
        }

        /** The share of the cells of each class, then that of unknown cells. They sum to 1. */
        public double[] shares(double level) {
            double[] shares = new double[classes + 1];
            int[] labels = labels(level);
            for (int label : labels) {
                shares[label]++;
            }
            for (int i = 0; i < shares.length; i++) {
                shares[i] /= labels.length;
            }
            return shares;
        }
    }

    public ClassMap(Parts parts) {
        this.parts = parts;
        this.components = parts.weight.length / parts.bias.length;
        this.channels = parts.basis.length / components;
    }

    /** What a file stores. */
    public Parts parts() {
        return parts;
    }

    /** One layer. */
    @Override
    public List<String> taps() {
        return List.of(parts.tap);
    }

    /** Number of classes. */
    public int classes() {
        return parts.bias.length;
    }

    /** Number of channels of the layer. */
    public int channels() {
        return channels;
    }

    /** The smallest p-value that a cell can have; 1 without novelty. */
    public double smallest() {
        return parts.novelty.isPresent() ? 1.0 / (1 + parts.photographs) : 1;
    }

    /**
     * Px for every cell.
     *
     * @param tap index of the layer, 0
     * @param maps some rows of the feature maps of a photograph, [1, channels, rows, width], in float
     * @return [1, components, rows, width]
     */
    @Override
    public Tensor reduce(int tap, Tensor maps) {
        if (tap != 0 || maps.dim() != 4 || maps.size(0) != 1 || maps.size(1) != channels) {
            throw new IllegalArgumentException(
                    "a class map takes feature maps [1, " + channels + ", rows, width] of " + parts.tap + " but got "
                            + Arrays.toString(maps.sizes().vec().get()));
        }
        return maps.permute(0, 2, 3, 1)
                .matmul(matrix(parts.basis, components).t())
                .permute(0, 3, 1, 2);
    }

    /**
     * The classes of all cells.
     *
     * @param reduced the reduced maps of the whole photograph: [1, components, height, width]
     */
    public Cells cells(Tensor reduced) {
        int height = Math.toIntExact(reduced.size(2));
        int width = Math.toIntExact(reduced.size(3));
        int count = height * width;
        int[] likeliest = new int[count];
        float[] probabilities = new float[count];
        float[] pValues = new float[count];
        try (Scope scope = Scope.open()) {
            Tensor vectors = directions(
                    windows(reduced, parts.window).permute(0, 2, 3, 1).reshape(count, components));
            Tensor weight = matrix(parts.weight, classes()).t();
            Tensor bias = torch.tensor(parts.bias);
            Optional<Scores> novelty = parts.novelty.map(Scores::new);
            for (long from = 0; from < count; from += PORTION) {
                try (Scope step = Scope.open()) {
                    Tensor some = vectors.narrow(0, from, Math.min(PORTION, count - from));
                    Tensor scores = some.matmul(weight).add(bias).mul(scalar((double) parts.temperature));
                    T_TensorTensor_T best = scores.softmax(1).max(1, false);
                    int first = Math.toIntExact(from);
                    copy(HostCopy.floats(Scope.share(best.get0())), probabilities, first);
                    // Indices of classes are exact in float.
                    float[] indices = HostCopy.floats(Scope.share(best.get1()));
                    for (int i = 0; i < indices.length; i++) {
                        likeliest[first + i] = (int) indices[i];
                    }
                    copy(
                            novelty.map(known -> pValues(known.of(some))).orElseGet(() -> ones(indices.length)),
                            pValues,
                            first);
                }
            }
        }
        return new Cells(height, width, classes(), likeliest, probabilities, pValues);
    }

    private static void copy(float[] from, float[] to, int first) {
        System.arraycopy(from, 0, to, first, from.length);
    }

    private static float[] ones(int count) {
        float[] ones = new float[count];
        Arrays.fill(ones, 1);
        return ones;
    }

    /** The mean of a window around each cell; at a border, of the cells that exist. maps: [1, components, height, width]. */
    static Tensor windows(Tensor maps, int window) {
        return torch.avg_pool2d(
                maps,
                new long[] {window, window},
                new long[] {1, 1},
                new long[] {window / 2, window / 2},
                false,
                false,
                new LongOptional());
    }

    /** Rows of length 1; rows of zeros remain. */
    static Tensor directions(Tensor rows) {
        return rows.div(rows.norm(optional(2.0), new long[] {1}, true).clamp_min(scalar(1e-30)));
    }

    private static Tensor matrix(float[] values, int rows) {
        return torch.tensor(values).reshape(rows, -1);
    }

    private float[] pValues(float[] scores) {
        float[] calibration = parts.novelty.orElseThrow().calibration();
        float[] pValues = new float[scores.length];
        for (int i = 0; i < scores.length; i++) {
            double share = (double) atLeast(calibration, scores[i]) / calibration.length;
            pValues[i] = (float) ((1 + parts.photographs * share) / (1 + parts.photographs));
        }
        return pValues;
    }

    /** How many of the values are at least this one. sorted: from small to large. */
    private static int atLeast(float[] sorted, float value) {
        int low = 0;
        int high = sorted.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle] >= value) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return sorted.length - low;
    }

    /** The scores of {@link Novelty}, of many vectors at once. */
    private static final class Scores {

        private final Tensor mean;
        private final Tensor components;
        private final Tensor whitening;
        private final Tensor precisions;
        private final Tensor centres;
        private final Tensor offsets;
        private final Tensor wide;
        private final double rest;
        private final double scale;

        Scores(Novelty novelty) {
            Novelty.Densities known = novelty.densities();
            int rank = novelty.rank();
            this.scale = known.scale();
            this.mean = doubles(known.mean());
            this.components = doubles(known.components()).reshape(rank, -1).t();
            this.whitening = doubles(known.whitening()).reshape(rank, rank).t();
            Tensor spread = doubles(known.spread()).narrow(0, 0, rank);
            Tensor counts = doubles(known.counts()).unsqueeze(1);
            Tensor variances = spread.div(counts.mul(spread).add(scalar(1.0))).add(scalar(1.0));
            Tensor means = doubles(known.means())
                    .reshape(-1, rank)
                    .mul(spread)
                    .div(counts.reciprocal().add(spread));
            this.precisions = variances.reciprocal().t();
            this.centres = means.div(variances).mul(scalar(2.0)).t();
            this.offsets = means.square().div(variances).add(variances.log()).sum(1);
            this.wide = spread.add(scalar(1.0));
            double last = known.spread()[rank];
            this.rest = last / (1 + last);
        }

        private static Tensor doubles(float[] values) {
            return DOUBLE.place(torch.tensor(values));
        }

        /** vectors: [n, size], of length 1. */
        float[] of(Tensor vectors) {
            Tensor centred = DOUBLE.place(vectors).sub(mean).div(scalar(scale));
            Tensor projected = centred.matmul(components);
            Tensor outside =
                    centred.square().sum(1).sub(projected.square().sum(1)).clamp_min(scalar(0.0));
            Tensor points = projected.matmul(whitening);
            Tensor squares = points.square();
            Tensor known = squares.matmul(precisions)
                    .sub(points.matmul(centres))
                    .add(offsets)
                    .amin(new long[] {1}, false);
            Tensor unknown = squares.div(wide).add(wide.log()).sum(1);
            return HostCopy.floats(known.sub(unknown).add(outside.mul(scalar(rest))));
        }
    }
}
