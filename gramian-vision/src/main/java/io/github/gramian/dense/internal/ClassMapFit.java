package io.github.gramian.dense.internal;

import io.github.gramian.certainty.internal.CertaintyFit;
import io.github.gramian.linalg.internal.LeadingEigenvectors;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Blas;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * Fits a {@link ClassMap} to photographs that show one class each. A row is the mean of a window of a photograph, projected to
 * the leading directions of all such means and scaled to length 1. Every photograph gives the same number of rows, so all
 * photographs count the same. Rows of a photograph are left out together ({@link GroupedRidge}), and so are those of a group of
 * photographs.
 */
public final class ClassMapFit {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    /** Directions of the projection. */
    private static final int COMPONENTS = 256;

    /** The windows of a photograph lie on a grid of this side. */
    private static final int GRID = 3;

    /** Rows of all photographs together: 0.3 GB at 1,024 channels. */
    private static final int MAX_ROWS = 60_000;

    /** Rows whose moments are computed together. */
    private static final long PORTION = 1 << 12;

    private ClassMapFit() {}

    /**
     * A map of the classes of photographs.
     *
     * @param tap name of the layer
     * @param window side of the windows, an odd number of cells
     * @param photographs the feature maps of a photograph by its index, [1, channels, height, width], in float
     * @param labels index of the class of each photograph
     * @param groups number of the group of each photograph; photographs of one group are left out together
     */
    public static ClassMap fit(
            String tap, int window, IntFunction<Tensor> photographs, int[] labels, int[] groups, int classes) {
        int count = labels.length;
        if (Arrays.stream(labels).distinct().count() < 2) {
            throw new IllegalArgumentException(
                    "a class map needs photographs of at least 2 classes; add photographs of another class");
        }
        int grid = GRID;
        while (grid > 1 && (long) count * grid * grid > MAX_ROWS) {
            grid--;
        }
        int windows = grid * grid;
        int[] labelOfRow = IntStream.range(0, count * windows)
                .map(row -> labels[row / windows])
                .toArray();
        int[] groupOfRow = IntStream.range(0, count * windows)
                .map(row -> groups[row / windows])
                .toArray();
        try (Scope scope = Scope.open();
                Blas.AllThreads span = Blas.allThreads()) {
            Tensor[] means = new Tensor[count];
            for (int i = 0; i < count; i++) {
                try (Scope step = Scope.open()) {
                    means[i] = step.promote(means(photographs.apply(i), window, grid));
                }
            }
            Tensor all = torch.cat(new TensorVector(means), 0);
            Tensor basis = basis(all);
            Tensor rows = ClassMap.directions(all.matmul(basis.t()));
            GroupedRidge.Fit fit = new GroupedRidge(rows, labelOfRow, groupOfRow, classes).fit();
            return new ClassMap(new ClassMap.Parts(
                    tap,
                    window,
                    HostCopy.floats(basis),
                    HostCopy.floats(fit.weight()),
                    HostCopy.floats(fit.bias()),
                    (float) fit.temperature(),
                    CertaintyFit.novelty(new CertaintyFit.Sketches(HostCopy.rows(rows), labelOfRow, groupOfRow)),
                    (int) Arrays.stream(groups).distinct().count()));
        }
    }

    /** Means of windows on a grid over a photograph: [grid², channels]. */
    private static Tensor means(Tensor maps, int window, int grid) {
        long height = Math.min(window, maps.size(2));
        long width = Math.min(window, maps.size(3));
        Tensor[] means = new Tensor[grid * grid];
        for (int i = 0; i < means.length; i++) {
            means[i] = FLOAT.place(maps)
                    .narrow(2, place(i / grid, grid, maps.size(2) - height), height)
                    .narrow(3, place(i % grid, grid, maps.size(3) - width), width)
                    .reshape(maps.size(1), -1)
                    .mean(1);
        }
        return torch.stack(new TensorVector(means), 0);
    }

    /** One of some places from 0 to the last one, evenly spread; a single place is the middle. */
    private static long place(int number, int places, long last) {
        return places == 1 ? last / 2 : Math.round((double) number * last / (places - 1));
    }

    /** The directions of the largest second moment: [components, channels]. */
    private static Tensor basis(Tensor means) {
        long channels = means.size(1);
        try (Scope scope = Scope.open();
                LeadingEigenvectors moment = new LeadingEigenvectors(channels)) {
            for (long from = 0; from < means.size(0); from += PORTION) {
                try (Scope step = Scope.open()) {
                    Tensor some = DOUBLE.place(means.narrow(0, from, Math.min(PORTION, means.size(0) - from)));
                    moment.add(some.t().matmul(some));
                }
            }
            Tensor directions = moment.leading(Math.min(COMPONENTS, channels)).vectors();
            return scope.promote(FLOAT.place(directions).t().contiguous());
        }
    }
}
