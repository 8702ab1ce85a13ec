package io.github.gramian.similar.vector.internal;

import io.github.gramian.io.internal.ParallelWork;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Fits a {@link Reduction} to a sample of descriptors. A descriptor has many more dimensions than the sample has images, so
 * the components come from the matrix of inner products, G = (X − μ)(X − μ)ᵀ [n × n]: of an eigenvector v with eigenvalue λ,
 * the component is (X − μ)ᵀv / √λ with variance λ / n. Its weight is 1 / √(λ / n + ε), where ε is the mean variance of the
 * components that are left out. This shrinkage damps components that the sample cannot tell from noise.
 *
 * <p>In plain Java: an index of an exported model is built where LibTorch is not installed.
 *
 * <p>The leading eigenvectors come from subspace iteration with a fixed seed: the same sample gives the same bits, whatever the
 * number of threads.
 */
public final class PrincipalFit {

    /** Values of a sample: 256 MB, or 2,040 of the default descriptors. */
    private static final long MAX_VALUES = 1L << 26;

    private static final int MAX_SAMPLE = 2048;

    /**
     * Images per component. With as many components as images, whitening would place all images of the sample at the same
     * distance from each other.
     */
    private static final int IMAGES_PER_COMPONENT = 4;

    /** Additional directions, so that the last components that are returned converge as well. */
    private static final int SPARE = 64;

    private static final int ITERATIONS = 12;

    /** Columns of the sample that are worked on at once, so that they stay in the processor's cache. */
    private static final int BLOCK = 64;

    /** Below this share of the largest variance, a component is rounding. */
    private static final double MIN_SHARE = 1e-7;

    private final float[] mean;
    private final float[][] rows;
    private final int threads;
    private final double trace;
    private final Eigen eigen;

    private PrincipalFit(float[] mean, float[][] centred, int dimensions, int threads) {
        this.mean = mean;
        this.rows = centred;
        this.threads = threads;
        double[][] products = products();
        double sum = 0;
        for (int i = 0; i < products.length; i++) {
            sum += products[i][i];
        }
        this.trace = sum;
        this.eigen = leading(products, Math.min(products.length, dimensions + SPARE));
    }

    /** How many descriptors of this length a fit uses. */
    public static int sampleSize(int length) {
        return (int) Math.max(1, Math.min(MAX_SAMPLE, MAX_VALUES / length));
    }

    /**
     * Finds the leading components of a sample.
     *
     * @param sample descriptors of one length; they are centred in place, for {@link Reduction#applyCentred}
     * @param dimensions the largest number that {@link #whitened(int)} may be asked for
     */
    public static PrincipalFit of(List<float[]> sample, int dimensions, int threads) {
        if (sample.isEmpty()) {
            throw new IllegalArgumentException("principal components need at least one descriptor");
        }
        if (dimensions < 1 || dimensions > Reduction.MAX_DIMENSIONS) {
            throw new IllegalArgumentException(
                    "dimensions must lie in 1.." + Reduction.MAX_DIMENSIONS + " but is " + dimensions);
        }
        float[][] rows = sample.toArray(float[][]::new);
        float[] mean = centre(rows);
        return new PrincipalFit(mean, rows, dimensions, threads);
    }

    /** The whitened components of a sample, which {@link #of} centres in place. */
    public static Reduction whitened(List<float[]> sample, int dimensions, int threads) {
        return of(sample, dimensions, threads).whitened(dimensions);
    }

    /** The leading components, whitened: as many as asked for, or fewer where the sample is small. */
    public Reduction whitened(int dimensions) {
        int wanted = Math.min(Math.min(dimensions, mean.length), Math.max(1, rows.length / IMAGES_PER_COMPONENT));
        return new Reduction(mean, components(wanted));
    }

    private static float[] centre(float[][] rows) {
        double[] sums = new double[rows[0].length];
        for (float[] row : rows) {
            if (row.length != sums.length) {
                throw new IllegalArgumentException("descriptors of " + sums.length + " and of " + row.length
                        + " dimensions cannot be reduced together");
            }
            for (int i = 0; i < sums.length; i++) {
                sums[i] += row[i];
            }
        }
        float[] mean = new float[sums.length];
        for (int i = 0; i < mean.length; i++) {
            mean[i] = (float) (sums[i] / rows.length);
        }
        for (float[] row : rows) {
            for (int i = 0; i < mean.length; i++) {
                row[i] -= mean[i];
            }
        }
        return mean;
    }

    private float[] components(int wanted) {
        double[] values = eigen.values();
        double most = values[0];
        int rank = 1;
        double kept = most;
        while (rank < wanted && values[rank] > MIN_SHARE * most) {
            kept += values[rank++];
        }
        int length = rows[0].length;
        if (most <= 0) {
            // All descriptors are equal; any direction is as good as another.
            float[] axis = new float[length];
            axis[0] = 1;
            return axis;
        }
        double rest = Math.max(0, trace - kept) / Math.max(1, rows.length - 1 - rank);
        float[] components = new float[Math.multiplyExact(rank, length)];
        List<Integer> all = IntStream.range(0, rank).boxed().toList();
        ParallelWork.map(all, threads, k -> {
            double scale = 1 / Math.sqrt(values[k]) / Math.sqrt((values[k] + rest) / rows.length);
            addComponent(eigen.vectors()[k], scale, components, k * length);
            return k;
        });
        return components;
    }

    private void addComponent(double[] weights, double scale, float[] target, int start) {
        for (int i = 0; i < rows.length; i++) {
            float weight = (float) (weights[i] * scale);
            float[] row = rows[i];
            for (int d = 0; d < row.length; d++) {
                target[start + d] += weight * row[d];
            }
        }
    }

    /** G, summed over blocks of columns; the innermost loop is one that compilers turn into vector instructions. */
    private double[][] products() {
        int n = rows.length;
        int length = rows[0].length;
        float[][] sums = new float[n][n];
        double[][] products = new double[n][n];
        List<Integer> lines = IntStream.range(0, n).boxed().toList();
        float[][] columns = new float[BLOCK][n];
        for (int from = 0; from < length; from += BLOCK) {
            int begin = from;
            int width = Math.min(BLOCK, length - from);
            for (int i = 0; i < n; i++) {
                for (int d = 0; d < width; d++) {
                    columns[d][i] = rows[i][begin + d];
                }
            }
            addBlock(lines, columns, width, begin, sums);
        }
        for (int i = 0; i < n; i++) {
            for (int j = i; j < n; j++) {
                products[i][j] = sums[i][j];
                products[j][i] = sums[i][j];
            }
        }
        return products;
    }

    private void addBlock(List<Integer> lines, float[][] columns, int width, int begin, float[][] sums) {
        int n = rows.length;
        int chunk = Math.max(1, (n + 4 * threads - 1) / (4 * threads));
        List<Integer> starts = lines.stream().filter(line -> line % chunk == 0).toList();
        ParallelWork.map(starts, threads, start -> {
            for (int i = start; i < Math.min(n, start + chunk); i++) {
                float[] sum = sums[i];
                for (int d = 0; d < width; d++) {
                    float factor = rows[i][begin + d];
                    float[] column = columns[d];
                    for (int j = i; j < n; j++) {
                        sum[j] += factor * column[j];
                    }
                }
            }
            return start;
        });
    }

    /** Eigenvalues and eigenvectors of the subspace that subspace iteration finds; of all directions if these are few. */
    private Eigen leading(double[][] products, int directions) {
        int n = products.length;
        double[][] basis = start(n, directions);
        orthonormalise(basis);
        List<Integer> all = IntStream.range(0, directions).boxed().toList();
        for (int i = 0; directions < n && i < ITERATIONS; i++) {
            double[][] old = basis;
            basis = ParallelWork.map(all, threads, k -> product(products, old[k]))
                    .toArray(double[][]::new);
            orthonormalise(basis);
        }
        double[][] found = basis;
        double[][] images =
                ParallelWork.map(all, threads, k -> product(products, found[k])).toArray(double[][]::new);
        double[][] small = new double[directions][directions];
        for (int i = 0; i < directions; i++) {
            for (int j = i; j < directions; j++) {
                small[i][j] = dot(found[i], images[j]);
                small[j][i] = small[i][j];
            }
        }
        Eigen inside = Eigen.of(small);
        double[][] vectors = ParallelWork.map(all, threads, k -> {
                    double[] vector = new double[n];
                    for (int i = 0; i < directions; i++) {
                        add(inside.vectors()[k][i], found[i], vector);
                    }
                    return signed(vector);
                })
                .toArray(double[][]::new);
        return new Eigen(inside.values(), vectors);
    }

    private static double[][] start(int n, int directions) {
        SplittableRandom random = new SplittableRandom(1);
        double[][] basis = new double[directions][n];
        for (int k = 0; k < directions; k++) {
            for (int i = 0; i < n; i++) {
                basis[k][i] = directions == n ? (i == k ? 1 : 0) : random.nextDouble() - 0.5;
            }
        }
        return basis;
    }

    /** The sign of an eigenvector is arbitrary; here its entry of largest magnitude is positive. */
    private static double[] signed(double[] vector) {
        double largest = 0;
        for (double value : vector) {
            largest = Math.abs(value) > Math.abs(largest) ? value : largest;
        }
        return largest < 0 ? Arrays.stream(vector).map(value -> -value).toArray() : vector;
    }

    private static double[] product(double[][] matrix, double[] vector) {
        double[] product = new double[vector.length];
        for (int i = 0; i < vector.length; i++) {
            add(vector[i], matrix[i], product);
        }
        return product;
    }

    /** Gram and Schmidt, twice, which is enough in double. */
    private static void orthonormalise(double[][] basis) {
        for (int k = 0; k < basis.length; k++) {
            for (int pass = 0; pass < 2; pass++) {
                for (int i = 0; i < k; i++) {
                    add(-dot(basis[i], basis[k]), basis[i], basis[k]);
                }
            }
            double norm = Math.sqrt(dot(basis[k], basis[k]));
            for (int i = 0; i < basis[k].length; i++) {
                basis[k][i] = norm > 0 ? basis[k][i] / norm : 0;
            }
        }
    }

    private static void add(double factor, double[] vector, double[] target) {
        for (int i = 0; i < target.length; i++) {
            target[i] += factor * vector[i];
        }
    }

    private static double dot(double[] one, double[] other) {
        double sum = 0;
        for (int i = 0; i < one.length; i++) {
            sum += one[i] * other[i];
        }
        return sum;
    }

    /**
     * Eigenvalues, descending, and eigenvectors of a small symmetric matrix, by Jacobi's rotations: exact to rounding, and the same in
     * every process.
     *
     * @param values descending
     * @param vectors one row per eigenvalue, of unit length
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not stored
    record Eigen(double[] values, double[][] vectors) {

        private static final int MAX_SWEEPS = 30;
        private static final double ROUNDING = 1e-13;

        /** Of a matrix, which is overwritten. */
        static Eigen of(double[][] matrix) {
            int n = matrix.length;
            double[][] rotations = new double[n][n];
            for (int i = 0; i < n; i++) {
                rotations[i][i] = 1;
            }
            for (int sweep = 0; sweep < MAX_SWEEPS && !isDiagonal(matrix); sweep++) {
                for (int p = 0; p < n - 1; p++) {
                    for (int q = p + 1; q < n; q++) {
                        rotate(matrix, rotations, p, q);
                    }
                }
            }
            int[] order = IntStream.range(0, n)
                    .boxed()
                    .sorted(Comparator.comparingDouble(i -> -matrix[i][i]))
                    .mapToInt(Integer::intValue)
                    .toArray();
            double[] values = new double[n];
            double[][] vectors = new double[n][];
            for (int i = 0; i < n; i++) {
                values[i] = matrix[order[i]][order[i]];
                vectors[i] = rotations[order[i]];
            }
            return new Eigen(values, vectors);
        }

        private static boolean isDiagonal(double[][] matrix) {
            double off = 0;
            double all = 0;
            for (int i = 0; i < matrix.length; i++) {
                for (int j = 0; j < matrix.length; j++) {
                    double square = matrix[i][j] * matrix[i][j];
                    all += square;
                    off += i == j ? 0 : square;
                }
            }
            return off <= ROUNDING * ROUNDING * all;
        }

        /** Makes the entry (p, q) zero; the rows of the matrix of rotations become the eigenvectors. */
        private static void rotate(double[][] a, double[][] rotations, int p, int q) {
            double[] rowP = a[p];
            double[] rowQ = a[q];
            if (Math.abs(rowP[q]) <= 1e-300) {
                return;
            }
            double theta = (rowQ[q] - rowP[p]) / (2 * rowP[q]);
            double t = Math.copySign(1, theta) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
            double cos = 1 / Math.sqrt(t * t + 1);
            double sin = t * cos;
            turn(rowP, rowQ, cos, sin);
            for (double[] row : a) {
                double x = row[p];
                double y = row[q];
                row[p] = cos * x - sin * y;
                row[q] = sin * x + cos * y;
            }
            turn(rotations[p], rotations[q], cos, sin);
        }

        private static void turn(double[] one, double[] other, double cos, double sin) {
            for (int i = 0; i < one.length; i++) {
                double x = one[i];
                double y = other[i];
                one[i] = cos * x - sin * y;
                other[i] = sin * x + cos * y;
            }
        }
    }
}
