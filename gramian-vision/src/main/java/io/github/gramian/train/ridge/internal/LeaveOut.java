package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Scope;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Leaves out groups of rows, each exactly and without refitting. If the rows F of a group are left out, their residuals are
 * B_FF⁻¹r_F. In the dual, B is the matrix Q of {@link DualRidge} and r is α. With the hat matrix H of the fit, B is I − H and r
 * are the residuals of the fit. Groups of one size are solved at once.
 *
 * @param sizes for each size, the rows of every group of that size: [groups][size]
 */
record LeaveOut(List<long[][]> sizes) {

    LeaveOut {
        sizes = List.copyOf(sizes);
    }

    /** The matrix B. Results belong to the caller's scope. */
    interface Matrix {

        /** [n]. */
        Tensor diagonal();

        /**
         * [groups, k, k].
         *
         * @param rows the rows and columns of each block: [groups, k]
         */
        Tensor blocks(Tensor rows);
    }

    /** @param numbers the number of the group of each row */
    static LeaveOut groups(int[] numbers) {
        return outside(numbers, 0, 0);
    }

    /** The groups of all rows outside of a block. */
    static LeaveOut outside(int[] numbers, int from, int to) {
        Map<Integer, List<Long>> members = new LinkedHashMap<>();
        for (int row = 0; row < numbers.length; row++) {
            if (row < from || row >= to) {
                members.computeIfAbsent(numbers[row], group -> new ArrayList<>())
                        .add((long) row);
            }
        }
        Map<Integer, List<long[]>> bySize = new TreeMap<>();
        for (List<Long> rows : members.values()) {
            bySize.computeIfAbsent(rows.size(), size -> new ArrayList<>())
                    .add(rows.stream().mapToLong(Long::longValue).toArray());
        }
        return new LeaveOut(
                bySize.values().stream().map(one -> one.toArray(long[][]::new)).toList());
    }

    /** Whether every row stands alone. */
    boolean single() {
        return sizes.size() == 1 && sizes.get(0)[0].length == 1;
    }

    /** The rows of groups of one size, group after group. */
    static long[] flat(long[][] groups) {
        return Arrays.stream(groups).flatMapToLong(Arrays::stream).toArray();
    }

    /** The residuals of all rows, each without its group; 0 for rows that are in no group. r: [n, c]. */
    Tensor residuals(Tensor r, Matrix B) {
        if (single()) {
            return r.div(B.diagonal().unsqueeze(1));
        }
        Tensor residuals = torch.zeros_like(r);
        for (long[][] alike : sizes) {
            try (Scope step = Scope.open()) {
                int size = alike[0].length;
                Tensor flat = Tensor.create(flat(alike));
                Tensor blocks = B.blocks(flat.reshape(alike.length, size));
                Tensor own = r.index_select(0, flat).reshape(alike.length, size, r.size(1));
                residuals.index_copy_(0, flat, torch.linalg_solve(blocks, own).reshape(-1, r.size(1)));
            }
        }
        return residuals;
    }

    /** A matrix that is in memory: [n, n]. */
    static Matrix matrix(Tensor B) {
        return new Matrix() {
            @Override
            public Tensor diagonal() {
                return B.diagonal();
            }

            @Override
            public Tensor blocks(Tensor rows) {
                Tensor places = rows.mul(scalar((double) B.size(0)))
                        .to(torch.ScalarType.Long)
                        .unsqueeze(2)
                        .add(rows.unsqueeze(1));
                return B.flatten().index_select(0, places.flatten()).reshape(places.sizes());
            }
        };
    }
}
