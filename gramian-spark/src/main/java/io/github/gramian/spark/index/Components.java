package io.github.gramian.spark.index;

import io.github.gramian.io.internal.Sha256;
import io.github.gramian.io.internal.TemporaryFolder;
import io.github.gramian.similar.vector.internal.PrincipalFit;
import io.github.gramian.similar.vector.internal.Reduction;
import io.github.gramian.spark.job.DescribedTable;
import io.github.gramian.spark.job.DescriptorEncoding;
import io.github.gramian.spark.job.JobException;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.util.SerializableConfiguration;

/**
 * The principal components of an index with parts: fitted once, in the driver, to a sample of the first table.
 *
 * @param bytes of the reduction's file
 * @param reduction the components
 * @param checksum of the file
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not changed
record Components(byte[] bytes, Reduction reduction, String checksum) {

    /** Files that are read for the sample. */
    private static final int MAX_FILES = 256;

    /** How many times as many rows are drawn as are used, since the number of drawn rows varies with the hashes. */
    private static final double SURPLUS = 1.3;

    private static final int DIGITS = 12;
    private static final double HASHES = Math.pow(16, DIGITS);

    /** Reads the content of a file. */
    static Components of(byte[] bytes) throws IOException {
        try (TemporaryFolder folder = TemporaryFolder.create()) {
            Path file = folder.path().resolve(IndexOutput.REDUCTION);
            Files.write(file, bytes);
            return stored(file);
        } catch (IllegalArgumentException e) {
            throw new JobException("the principal components of the index cannot be used (" + e.getMessage()
                    + "); build an index in another directory");
        }
    }

    private static Components stored(Path file) throws IOException {
        Reduction.Stored stored = Reduction.read(file);
        return new Components(Files.readAllBytes(file), stored.reduction(), stored.checksum());
    }

    /** Dimensions of the first usable descriptor of a table. */
    static int length(DescribedTable table, Configuration hadoop) throws IOException {
        for (DescribedTable.DataFile file : table.files()) {
            try (DescribedTable.Rows rows = new DescribedTable.Rows(file.path(), table.encoding(), 0, hadoop)) {
                for (DescribedTable.Rows.Described row = rows.next(); row != null; row = rows.next()) {
                    float[] descriptor = row.descriptor();
                    if (descriptor != null) {
                        return descriptor.length;
                    }
                }
            }
        }
        throw new JobException(table.folder() + " has no usable descriptor; see the reasons in its kind=quarantine");
    }

    /** Fits new ones. */
    static Components fitted(
            DescribedTable table,
            int length,
            int dimensions,
            JavaSparkContext context,
            Broadcast<SerializableConfiguration> hadoop)
            throws IOException {
        int wanted = PrincipalFit.sampleSize(length);
        List<String> files = spread(table.files());
        double rows = (double) table.described() * files.size() / table.files().size();
        DescriptorEncoding encoding = table.encoding();
        double share = SURPLUS * wanted / Math.max(1, rows);
        List<float[]> sample = new ArrayList<>();
        context
                .parallelize(files, files.size())
                .flatMap(file ->
                        sampled(file, encoding, length, share, hadoop.value().value()))
                .collect()
                .stream()
                .sorted(Comparator.comparing(Sampled::hash))
                .limit(wanted)
                .forEach(sampled -> sample.add(sampled.descriptor()));
        if (sample.isEmpty()) {
            throw new JobException(
                    table.folder() + " has too few usable descriptors for principal components; take those"
                            + " of another index with --like");
        }
        Reduction reduction =
                PrincipalFit.whitened(sample, dimensions, Runtime.getRuntime().availableProcessors());
        try (TemporaryFolder folder = TemporaryFolder.create()) {
            Path file = folder.path().resolve(IndexOutput.REDUCTION);
            reduction.write(file);
            return stored(file);
        }
    }

    /** At most {@link #MAX_FILES}, at equal distances. */
    private static List<String> spread(List<DescribedTable.DataFile> files) {
        int count = Math.min(MAX_FILES, files.size());
        List<String> chosen = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            chosen.add(files.get((int) ((long) i * files.size() / count)).path());
        }
        return chosen;
    }

    /** A descriptor, with what it is ordered by. */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not stored
    private record Sampled(String hash, float[] descriptor) implements Serializable {}

    /** Descriptors of a file whose hash, as a fraction of all hashes, lies below a share: the same in every run. */
    private static Iterator<Sampled> sampled(
            String file, DescriptorEncoding encoding, int length, double share, Configuration hadoop)
            throws IOException {
        List<Sampled> sampled = new ArrayList<>();
        try (DescribedTable.Rows rows = new DescribedTable.Rows(file, encoding, length, hadoop)) {
            for (DescribedTable.Rows.Described row = rows.next(); row != null; row = rows.next()) {
                float[] descriptor = row.descriptor();
                if (descriptor != null) {
                    String hash = Sha256.of(row.shard() + '\0' + row.position() + '\0' + row.name());
                    if (Long.parseLong(hash.substring(0, DIGITS), 16) / HASHES < share) {
                        sampled.add(new Sampled(hash, descriptor));
                    }
                }
            }
        }
        return sampled.iterator();
    }
}
