package io.github.gramian.dense.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Fits a {@link Surface} to photographs of good parts. The features x of every layer are first projected to {@value #SIZE} random
 * orthonormal directions, which no photograph has influenced; so a photograph takes little memory, and the fit is small. With mean
 * μ and covariance C = U diag(λ) Uᵀ of the projected features of all cells, joined over layers,
 *
 * <pre>  A = diag(λ + ε·mean(λ))^(−½) Uᵀ;  b = Aμ</pre>
 *
 * <p>The calibration scores are cross-fitted: each fold of the photographs is scored by a fit to the other folds. A group is never
 * divided. Moments are summed per fold, so memory does not grow with the number of photographs. The same photographs give the same
 * bits.
 */
public final class SurfaceFit implements WholePhoto.Head {

    /** Fewer photographs cannot promise any useful rate of false alarms. */
    public static final int MIN_PHOTOGRAPHS = 10;

    private static final int SIZE = 128;

    private static final int MAX_FOLDS = 10;

    /** A fold that does not exist. */
    private static final int NONE = -1;

    /** ε: keeps directions of little variance, in which flaws show best, from deciding alone. */
    private static final double SHRINKAGE = 0.01;

    /** Of the square of the features: a smaller variance is rounding. */
    private static final double NEGLIGIBLE = 1e-10;

    /** Part of how models are trained: another one gives other directions. */
    private static final Seed DIRECTIONS = new Seed(50).child("surface");

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    /** Until {@link Surface#withRate} asks for one. */
    private static final double ANY_RATE = 0.5;

    private static final Calibration UNCALIBRATED = new Calibration(new float[] {1}, new int[] {0}, 1, ANY_RATE);

    private final List<String> taps;

    /** For each layer, [outputs × channels]. */
    private final List<float[]> directions;

    private final List<Integer> outputs;

    /** The good photographs. Each may be asked for more than once and must give the same maps. */
    public interface Photographs {

        /** Their number. */
        int count();

        /**
         * The feature maps of all layers, reduced by {@link SurfaceFit#reduce}: [1, {@link SurfaceFit#outputs}, height, width], in
         * float, in the caller's scope.
         */
        List<Tensor> reduced(int photograph);
    }

    /**
     * @param taps names of the layers; the first has the finest grid
     * @param channels number of channels of each layer
     */
    public SurfaceFit(List<String> taps, List<Integer> channels) {
        if (taps.isEmpty() || taps.size() != channels.size()) {
            throw new IllegalArgumentException(
                    "a surface needs one layer or more, each with its channels, but got " + taps + " and " + channels);
        }
        this.taps = List.copyOf(taps);
        this.outputs = channels.stream().map(count -> Math.min(count, SIZE)).toList();
        this.directions = IntStream.range(0, taps.size())
                .mapToObj(tap -> directions(channels.get(tap), outputs.get(tap), DIRECTIONS.child(tap)))
                .toList();
    }

    /** Orthonormal rows, [outputs × channels]; all channels as they are if there are few. */
    private static float[] directions(int channels, int outputs, Seed seed) {
        try (Scope scope = Scope.open()) {
            Tensor columns = outputs == channels
                    ? torch.eye(channels, DOUBLE.options())
                    : Scope.share(torch.linalg_qr(seed.normal(DOUBLE, channels, outputs))
                            .get0());
            return HostCopy.floats(columns.t());
        }
    }

    @Override
    public List<String> taps() {
        return taps;
    }

    /** Number of channels of a layer after {@link #reduce}. */
    public int outputs(int tap) {
        return outputs.get(tap);
    }

    /**
     * Projects the features of every cell.
     *
     * @param tap index of the layer
     * @param rows some rows of its feature maps: [1, channels, rows, width], in float
     * @return [1, outputs, rows, width]
     */
    @Override
    public Tensor reduce(int tap, Tensor rows) {
        return Surface.projected(rows, directions.get(tap), outputs.get(tap), taps.get(tap));
    }

    /**
     * The surface of good photographs.
     *
     * @param groups number of the object that each photograph shows; different numbers if nothing is known of objects
     */
    public Surface fit(Photographs photographs, int[] groups) {
        int count = photographs.count();
        if (count < MIN_PHOTOGRAPHS || groups.length != count) {
            throw new IllegalArgumentException("a surface needs " + MIN_PHOTOGRAPHS
                    + " good photographs or more, each with its group, but got " + count + " with " + groups.length
                    + " groups");
        }
        int[] counted = counted(groups);
        int groupCount = Arrays.stream(counted).max().orElseThrow() + 1;
        if (groupCount < 2) {
            throw new IllegalArgumentException(
                    "all good photographs belong to one group; photograph two objects or more, or leave out the groups");
        }
        int folds = Math.min(groupCount, MAX_FOLDS);
        try (Scope scope = Scope.open()) {
            List<Moments> moments = moments(photographs, counted, folds);
            float[] calibration = new float[count];
            for (int fold = 0; fold < folds; fold++) {
                Surface others = surface(Moments.without(moments, fold));
                for (int i = 0; i < count; i++) {
                    if (counted[i] % folds == fold) {
                        calibration[i] = score(others, photographs.reduced(i));
                    }
                }
            }
            return composed(surface(Moments.without(moments, NONE)).parts(), calibration, counted);
        }
    }

    /** Groups as 0, 1, … in the order of their first photograph. */
    private static int[] counted(int[] groups) {
        Map<Integer, Integer> numbers = new HashMap<>();
        int[] counted = new int[groups.length];
        for (int i = 0; i < groups.length; i++) {
            numbers.putIfAbsent(groups[i], numbers.size());
            counted[i] = numbers.get(groups[i]);
        }
        return counted;
    }

    /** The moments of the photographs of each fold, in the caller's scope. */
    private static List<Moments> moments(Photographs photographs, int[] groups, int folds) {
        Tensor origin = origin(photographs.reduced(0));
        List<Moments> moments =
                IntStream.range(0, folds).mapToObj(fold -> new Moments(origin)).toList();
        for (int i = 0; i < photographs.count(); i++) {
            try (Scope scope = Scope.open()) {
                Tensor cells = Surface.cells(photographs.reduced(i));
                if (!cells.isfinite().all().item_bool()) {
                    throw new IllegalArgumentException("the features of good photograph " + (i + 1)
                            + " hold NaN or infinity; look for a broken photograph or broken weights of the backbone");
                }
                moments.get(groups[i] % folds).add(cells);
            }
        }
        return moments;
    }

    /** The mean of one photograph: it is subtracted before products are summed, which would lose digits otherwise. */
    private static Tensor origin(List<Tensor> reduced) {
        return Surface.cells(reduced).mean(0);
    }

    /** Sums over cells, in double, of the difference x from an origin: their number, Σx and Σxxᵀ. */
    private static final class Moments {

        private final Tensor origin;
        private final Tensor sum;
        private final Tensor products;
        private long count;

        Moments(Tensor origin) {
            this.origin = origin;
            this.sum = torch.zeros(new long[] {origin.size(0)}, DOUBLE.options());
            this.products = torch.zeros(new long[] {origin.size(0), origin.size(0)}, DOUBLE.options());
        }

        void add(Tensor cells) {
            Tensor shifted = cells.sub(origin);
            sum.add_(DOUBLE.place(shifted).sum(0));
            products.add_(DOUBLE.place(shifted.t().matmul(shifted)));
            count += cells.size(0);
        }

        /** The sum over all folds but one. */
        static Moments without(List<Moments> folds, int left) {
            Moments rest = new Moments(folds.get(0).origin);
            for (int fold = 0; fold < folds.size(); fold++) {
                if (fold != left) {
                    rest.sum.add_(folds.get(fold).sum);
                    rest.products.add_(folds.get(fold).products);
                    rest.count += folds.get(fold).count;
                }
            }
            return rest;
        }
    }

    /** The normal distribution of projected features, as a surface that takes reduced maps and has no calibration yet. */
    private Surface surface(Moments moments) {
        try (Scope scope = Scope.open()) {
            Tensor mean = moments.sum.div(scalar((double) moments.count));
            Tensor covariance =
                    moments.products.div(scalar((double) moments.count)).sub(mean.outer(mean));
            Symmetric.Eigen eigen = Symmetric.eigen(Symmetric.part(covariance));
            Tensor variances = eigen.values().clamp_min(scalar(0.0));
            double variance = variances.mean().item_double();
            if (!(variance > NEGLIGIBLE * moments.origin.square().mean().item_double())) {
                throw new IllegalArgumentException(
                        "all cells of the good photographs are equal; photograph a surface that has some texture");
            }
            Tensor whitening = eigen.vectors()
                    .div(variances.add(scalar(SHRINKAGE * variance)).sqrt())
                    .t();
            Tensor offset = whitening.mv(DOUBLE.place(moments.origin).add(mean));
            List<float[]> projections = new ArrayList<>();
            long first = 0;
            for (int size : outputs) {
                projections.add(HostCopy.floats(whitening.narrow(1, first, size)));
                first += size;
            }
            return new Surface(new Surface.Parts(taps, projections, HostCopy.floats(offset), UNCALIBRATED));
        }
    }

    private static float score(Surface surface, List<Tensor> reduced) {
        try (Scope scope = Scope.open()) {
            List<Tensor> whitened = IntStream.range(0, reduced.size())
                    .mapToObj(tap -> surface.reduce(tap, reduced.get(tap)))
                    .toList();
            return Calibration.photoScore(HostCopy.floats(surface.scores(whitened)));
        }
    }

    /** The surface that takes feature maps as the backbone gives them. */
    private Surface composed(Surface.Parts projected, float[] calibration, int[] groups) {
        List<float[]> projections = new ArrayList<>();
        try (Scope scope = Scope.open()) {
            for (int tap = 0; tap < taps.size(); tap++) {
                Tensor whitening =
                        torch.tensor(projected.projections().get(tap)).reshape(-1, outputs(tap));
                Tensor first = torch.tensor(directions.get(tap)).reshape(outputs(tap), -1);
                projections.add(HostCopy.floats(DOUBLE.place(whitening).matmul(DOUBLE.place(first))));
            }
        }
        float[] sorted = calibration.clone();
        Arrays.sort(sorted);
        return new Surface(new Surface.Parts(
                taps,
                projections,
                projected.offset(),
                new Calibration(calibration, groups, sorted[sorted.length / 2], ANY_RATE)));
    }
}
