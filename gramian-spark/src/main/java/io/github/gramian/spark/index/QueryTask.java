package io.github.gramian.spark.index;

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
import org.jspecify.annotations.Nullable;

/** The rows of a file of a described table as queries. */
final class QueryTask implements FlatMapFunction<String, QueryTask.Asked> {

    private static final long serialVersionUID = 1L;

    private final DescriptorEncoding encoding;
    private final Broadcast<byte[]> reduction;
    private final Broadcast<SerializableConfiguration> hadoop;

    QueryTask(DescriptorEncoding encoding, Broadcast<byte[]> reduction, Broadcast<SerializableConfiguration> hadoop) {
        this.encoding = encoding;
        this.reduction = reduction;
        this.hadoop = hadoop;
    }

    /** A query; without a vector if its descriptor cannot be used. */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not stored
    record Asked(String name, float @Nullable [] vector) implements Serializable {}

    @Override
    public Iterator<Asked> call(String file) throws IOException {
        Components components = Components.of(reduction.value());
        List<Asked> asked = new ArrayList<>();
        int length = components.reduction().length();
        try (DescribedRows rows =
                new DescribedRows(file, encoding, length, hadoop.value().value())) {
            for (DescribedRows.Described row = rows.next(); row != null; row = rows.next()) {
                float[] descriptor = row.descriptor();
                asked.add(new Asked(
                        row.name(),
                        descriptor == null ? null : components.reduction().apply(descriptor)));
            }
        }
        return asked.iterator();
    }
}
