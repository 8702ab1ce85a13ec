package io.github.gramian.similar.vector.internal;

import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Eigenvalues, descending, and eigenvectors of a small symmetric matrix, by Jacobi's rotations: exact to rounding, and the same in
 * every process.
 *
 * @param values descending
 * @param vectors one row per eigenvalue, of unit length
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not stored
record SymmetricEigen(double[] values, double[][] vectors) {

    private static final int MAX_SWEEPS = 30;
    private static final double ROUNDING = 1e-13;

    /** Of a matrix, which is overwritten. */
    static SymmetricEigen of(double[][] matrix) {
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
        return new SymmetricEigen(values, vectors);
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
