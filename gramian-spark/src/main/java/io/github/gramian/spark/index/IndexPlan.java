package io.github.gramian.spark.index;

import io.github.gramian.io.internal.Sha256;
import io.github.gramian.spark.job.DescribedTable;
import io.github.gramian.spark.job.JobException;
import java.util.ArrayList;
import java.util.List;

/**
 * Which files of a table become which part, fixed when the job starts, so that a restart continues with the same parts.
 *
 * @param table folder of the table
 * @param identity checksum of its files
 * @param parts paths of the files of each part
 */
record IndexPlan(String table, String identity, List<List<String>> parts) {

    /** Photographs of a part: more take longer to build after a failure, fewer cost each search a part. */
    private static final long MAX_PHOTOGRAPHS = 1_000_000;

    /** Below this, a part of its own costs every search more than the build gains. */
    private static final long MIN_PHOTOGRAPHS = 50_000;

    private static final int ID_DIGITS = 8;

    IndexPlan {
        parts = parts.stream().map(List::copyOf).toList();
    }

    /** The name of the job for a table inside its output. */
    static String id(String table) {
        return Sha256.of(table).substring(0, ID_DIGITS);
    }

    /** Consecutive files make a part; parts have about equal numbers of bytes. */
    static IndexPlan of(DescribedTable table, int wanted, int cores) {
        long most = Math.max(1, table.files().size());
        long byDefault = Math.max(
                (table.described() + MAX_PHOTOGRAPHS - 1) / MAX_PHOTOGRAPHS,
                Math.min(cores, table.described() / MIN_PHOTOGRAPHS));
        long count = Math.max(1, Math.min(most, wanted > 0 ? wanted : byDefault));
        long bytes =
                table.files().stream().mapToLong(DescribedTable.DataFile::bytes).sum();
        List<List<String>> parts = new ArrayList<>();
        List<String> current = new ArrayList<>();
        long before = 0;
        int left = table.files().size();
        for (DescribedTable.DataFile file : table.files()) {
            current.add(file.path());
            before += file.bytes();
            left--;
            boolean full = before * count >= bytes * (parts.size() + 1);
            if (parts.size() < count - 1 && (full || left < count - parts.size())) {
                parts.add(current);
                current = new ArrayList<>();
            }
        }
        if (!current.isEmpty()) {
            parts.add(current);
        }
        return new IndexPlan(table.folder(), table.identity(), parts);
    }

    /** Passes if the table is the one that the plan was made for. */
    void checkSame(DescribedTable now) {
        if (!identity.equals(now.identity())) {
            throw changed(now.folder());
        }
    }

    static JobException changed(String table) {
        return new JobException(
                "the files of " + table + " differ from those that are indexed: the images were described"
                        + " again; build an index in another directory");
    }
}
