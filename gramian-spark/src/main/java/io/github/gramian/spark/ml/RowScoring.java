package io.github.gramian.spark.ml;

import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.model.Reading;
import io.github.gramian.spark.executor.ExecutorModel;
import io.github.gramian.spark.executor.ImageBatcher;
import io.github.gramian.spark.executor.ModelBytes;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Row;

/** Adds our columns to the rows of a partition, a batch at a time, in their order. */
final class RowScoring implements MapPartitionsFunction<Row, Row> {

    private static final long serialVersionUID = 1;

    private final Broadcast<ModelBytes> model;
    private final int inputPlace;
    private final OutputColumns columns;
    private final String handleInvalid;
    private final int batchSize;
    private final int threads;

    RowScoring(
            Broadcast<ModelBytes> model,
            int inputPlace,
            OutputColumns columns,
            String handleInvalid,
            int batchSize,
            int threads) {
        this.model = model;
        this.inputPlace = inputPlace;
        this.columns = columns;
        this.handleInvalid = handleInvalid;
        this.batchSize = batchSize;
        this.threads = threads;
    }

    @Override
    public Iterator<Row> call(Iterator<Row> rows) throws IOException {
        if (!rows.hasNext()) {
            return rows; // an empty partition needs no model
        }
        ImageBatcher batcher = new ImageBatcher(ExecutorModel.of(model.value(), threads), ImageLimits.DEFAULT);
        Deque<Row> ready = new ArrayDeque<>();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                while (ready.isEmpty() && rows.hasNext()) {
                    scoreBatch(rows, batcher, ready);
                }
                return !ready.isEmpty();
            }

            @Override
            public Row next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("the partition has no more rows");
                }
                return ready.remove();
            }
        };
    }

    private void scoreBatch(Iterator<Row> rows, ImageBatcher batcher, Deque<Row> ready) {
        List<Row> batch = new ArrayList<>();
        while (rows.hasNext() && batch.size() < batchSize) {
            Row row = rows.next();
            batch.add(row);
            if (row.isNullAt(inputPlace)) {
                batcher.reject("the row has no bytes");
            } else {
                batcher.add(row.getAs(inputPlace));
            }
        }
        List<Reading> readings = batcher.read();
        for (int i = 0; i < batch.size(); i++) {
            String reason = readings.get(i).prediction().rejection().orElse(null);
            if (reason == null) {
                ready.add(columns.extended(batch.get(i), readings.get(i), null));
            } else {
                switch (handleInvalid) {
                    case "keep" -> ready.add(columns.extended(batch.get(i), null, reason));
                    case "skip" -> {}
                    default ->
                        throw new IllegalArgumentException("a row has no readable image: " + reason
                                + "; set handleInvalid to skip or keep to continue without it");
                }
            }
        }
    }
}
