package io.github.gramian.label.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.linalg.internal.KMeans;
import io.github.gramian.linalg.internal.PrincipalComponents;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Blas;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;

/**
 * The descriptors of images as points in a space of a few hundred dimensions: which are near each other, which form clusters.
 * No label has a part in it. For several threads at once. Owns native memory until it is closed.
 */
final class ImageSpace implements AutoCloseable {

    /** More dimensions would make fits after every label slow, and add little. */
    static final int MAX_DIMENSIONS = 256;

    /** Clusters of more components are less pure. */
    private static final int CLUSTER_DIMENSIONS = 32;

    private static final int ITERATIONS = 15;

    /** A single start can put two clusters into one and divide another. */
    private static final int STARTS = 5;

    private static final float TINY = 1e-30f;

    private final int images;
    private final int dimensions;
    private final ReentrantReadWriteLock open = new ReentrantReadWriteLock();
    private final Tensor rows;
    private final Tensor lengths;
    private final double meanSquare;
    private boolean closed;

    ImageSpace(float[][] descriptors) {
        this.images = descriptors.length;
        this.dimensions = images == 0 ? 0 : descriptors[0].length;
        if (images < 2 || dimensions < 1 || dimensions > MAX_DIMENSIONS) {
            throw new DatasetException("labelling needs at least two images, described by 1 to " + MAX_DIMENSIONS
                    + " values each, but there are " + images + " images of " + dimensions + " values");
        }
        try (Scope scope = Scope.open()) {
            Tensor X = TensorBytes.allocate(TensorType.F32, images, dimensions);
            FloatBuffer memory =
                    TensorBytes.memory(X).order(ByteOrder.nativeOrder()).asFloatBuffer();
            for (float[] row : descriptors) {
                if (row.length != dimensions) {
                    throw new DatasetException("all images must have descriptors of the same length, but there are "
                            + dimensions + " and " + row.length + " values");
                }
                memory.put(row);
            }
            if (!X.isfinite().all().item_bool()) {
                throw new DatasetException("the descriptors hold NaN or infinity; look for broken images or weights");
            }
            Tensor mean = Placement.cpu(Precision.DOUBLE).place(X).mean(0);
            X.sub_(Placement.cpu(Precision.FLOAT).place(mean));
            double sum = X.square().sum().item_double();
            this.meanSquare = sum > 0 ? sum / images : 1;
            this.rows = Scope.own(X);
            this.lengths = Scope.own(X.square().sum(1).sqrt_().clamp_min_(scalar(TINY)));
        }
    }

    int images() {
        return images;
    }

    int dimensions() {
        return dimensions;
    }

    /** The mean squared length of a descriptor relative to the mean of all; 1 if all are equal. */
    double meanSquare() {
        return meanSquare;
    }

    /** Does something with all rows, relative to their mean: [n, d], in a separate scope. */
    <T> T with(Function<Tensor, T> use) {
        open.readLock().lock();
        try (Scope scope = Scope.open();
                Blas.AllThreads span = Blas.allThreads()) {
            if (closed) {
                throw new IllegalStateException("the labelling session was closed");
            }
            return use.apply(rows);
        } finally {
            open.readLock().unlock();
        }
    }

    /** The cosine of each image with each direction: one array per direction. */
    float[][] cosines(float[][] directions) {
        return with(X -> {
            float[][] found = new float[directions.length][];
            for (int i = 0; i < directions.length; i++) {
                try (Scope step = Scope.open()) {
                    Tensor direction = Tensor.create(directions[i]);
                    Tensor length = direction.square().sum().sqrt_().clamp_min_(scalar(TINY));
                    found[i] = HostCopy.floats(X.mv(direction).div_(lengths).div_(length));
                }
            }
            return found;
        });
    }

    /** The descriptors of some images, relative to the mean of all. */
    float[][] rows(int[] images) {
        return with(X -> HostCopy.rows(X.index_select(0, HostCopy.labels(images, Placement.of(X)))));
    }

    /** The nearest images, the nearest first, by the cosine of their descriptors. */
    int[] neighbours(int image, int count) {
        float[] cosines = cosines(rows(new int[] {image}))[0];
        return nearest(cosines, count, other -> other != image);
    }

    /** Places of the largest of some values, the largest first. */
    static int[] nearest(float[] cosines, int count, IntPredicate candidates) {
        return IntStream.range(0, cosines.length)
                .filter(candidates)
                .boxed()
                .sorted(Comparator.<Integer>comparingDouble(other -> -cosines[other])
                        .thenComparing(Comparator.naturalOrder()))
                .limit(count)
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** The cosine of two vectors; 0 if one has no direction. */
    static double cosine(float[] a, float[] b) {
        double product = 0;
        double left = 0;
        double right = 0;
        for (int k = 0; k < a.length; k++) {
            product += a[k] * b[k];
            left += a[k] * a[k];
            right += b[k] * b[k];
        }
        return left > 0 && right > 0 ? product / Math.sqrt(left * right) : 0;
    }

    /** At most k clusters of images with similar directions, the largest first; the members of each by their distance from its centre. */
    int[][] clusters(int k, Seed seed) {
        int count = Math.min(k, images);
        return with(X -> {
            Tensor U = directions(X);
            KMeans means = new KMeans(count, ITERATIONS);
            float[] best = new float[0];
            double smallest = Double.POSITIVE_INFINITY;
            for (int start = 0; start < STARTS; start++) {
                try (Scope step = Scope.open()) {
                    Tensor centres = means.fit(U, seed.child(start)).centres();
                    Tensor distances = KMeans.squaredDistances(U.t(), centres);
                    double sum = distances.amin(new long[] {0}, false).sum().item_double();
                    if (sum < smallest) {
                        smallest = sum;
                        best = HostCopy.floats(distances);
                    }
                }
            }
            return members(best, count);
        });
    }

    /** Clusters by the distances of all images from each centre, centre after centre. */
    private int[][] members(float[] distances, int count) {
        List<List<Integer>> members = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            members.add(new ArrayList<>());
        }
        float[] nearest = new float[images];
        for (int i = 0; i < images; i++) {
            int best = 0;
            for (int k = 1; k < count; k++) {
                best = distances[k * images + i] < distances[best * images + i] ? k : best;
            }
            nearest[i] = distances[best * images + i];
            members.get(best).add(i);
        }
        Comparator<Integer> outwards =
                Comparator.<Integer>comparingDouble(i -> nearest[i]).thenComparing(Comparator.naturalOrder());
        return members.stream()
                .filter(list -> !list.isEmpty())
                .sorted(Comparator.<List<Integer>>comparingInt(List::size)
                        .reversed()
                        .thenComparing(list -> list.get(0)))
                .map(list -> list.stream()
                        .sorted(outwards)
                        .mapToInt(Integer::intValue)
                        .toArray())
                .toArray(int[][]::new);
    }

    /** Two principal components of each image's direction. */
    float[][] map() {
        return with(X -> {
            if (dimensions == 1) {
                float[] values = HostCopy.floats(X);
                return IntStream.range(0, images)
                        .mapToObj(i -> new float[] {values[i], 0})
                        .toArray(float[][]::new);
            }
            return HostCopy.rows(leading(directions(X), 2));
        });
    }

    /**
     * The leading components of each image, at unit length: [n, at most 32]. Few images with long descriptors would otherwise be
     * clusters of one, and all others one large cluster.
     */
    private Tensor directions(Tensor X) {
        Tensor Z = leading(X, Math.min(dimensions, CLUSTER_DIMENSIONS));
        return Z.div(Z.square()
                .sum(new long[] {1}, true, new ScalarTypeOptional())
                .sqrt_()
                .clamp_min_(scalar(TINY)));
    }

    /** The leading principal components of some rows. */
    private static Tensor leading(Tensor X, int count) {
        if (count >= X.size(1)) {
            return X;
        }
        try (PrincipalComponents components = new PrincipalComponents((int) X.size(1))) {
            components.add(X);
            return X.matmul(Placement.of(X).place(components.leading(count).components()));
        }
    }

    @Override
    public void close() {
        open.writeLock().lock();
        try {
            if (!closed) {
                closed = true;
                Scope.disown(rows);
                Scope.disown(lengths);
            }
        } finally {
            open.writeLock().unlock();
        }
    }
}
