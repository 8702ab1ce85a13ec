package io.github.gramian.spark.index;

import io.github.gramian.io.internal.Sha256;
import io.github.gramian.spark.job.DescribedRows;
import io.github.gramian.spark.job.DescriptorEncoding;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.util.SerializableConfiguration;

/** Descriptors of a file whose hash, as a fraction of all hashes, lies below a share: the same in every run. */
final class SampleTask implements FlatMapFunction<String, SampleTask.Sampled> {

    private static final long serialVersionUID = 1L;
    private static final int DIGITS = 12;
    private static final double HASHES = Math.pow(16, DIGITS);

    private final DescriptorEncoding encoding;
    private final int length;
    private final double share;
    private final Broadcast<SerializableConfiguration> hadoop;

    SampleTask(DescriptorEncoding encoding, int length, double share, Broadcast<SerializableConfiguration> hadoop) {
        this.encoding = encoding;
        this.length = length;
        this.share = share;
        this.hadoop = hadoop;
    }

    /** A descriptor, with what it is ordered by. */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not stored
    record Sampled(String hash, float[] descriptor) implements Serializable {}

    @Override
    public Iterator<Sampled> call(String file) throws IOException {
        List<Sampled> sampled = new ArrayList<>();
        try (DescribedRows rows =
                new DescribedRows(file, encoding, length, hadoop.value().value())) {
            for (DescribedRows.Described row = rows.next(); row != null; row = rows.next()) {
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
