package io.github.gramian.spark.job;

import io.github.gramian.io.internal.Sha256;
import io.github.gramian.spark.executor.ExecutorModel;
import io.github.gramian.spark.executor.ModelBytes;
import io.github.gramian.spark.shard.EntryStream;
import io.github.gramian.spark.shard.Shard;
import io.github.gramian.spark.shard.ShardException;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Row;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;

/** A task of a wave: maps the index of a shard to its rows. */
final class ShardTask implements FlatMapFunction<Integer, Row> {

    private static final long serialVersionUID = 1;

    private final DescribeSettings settings;
    private final List<Shard> shards;
    private final String attempts;
    private final Broadcast<ModelBytes> model;
    private final Broadcast<SerializableConfiguration> hadoop;

    ShardTask(
            DescribeSettings settings,
            List<Shard> shards,
            String attempts,
            Broadcast<ModelBytes> model,
            Broadcast<SerializableConfiguration> hadoop) {
        this.settings = settings;
        this.shards = List.copyOf(shards);
        this.attempts = attempts;
        this.model = model;
        this.hadoop = hadoop;
    }

    @Override
    public Iterator<Row> call(Integer number) throws IOException {
        Shard shard = shards.get(number);
        Configuration files = hadoop.value().value();
        // A sum in place of the name: shards lie in folders, and notes must not.
        AttemptJournal journal = new AttemptJournal(attempts + "/" + Sha256.of(shard.name()), files);
        ExecutorModel loaded = ExecutorModel.of(model.value(), settings.threads());
        EntryStream entries;
        try {
            entries = settings.source().open(shard, files, settings.limits().maxBytes());
        } catch (ShardException e) {
            return List.of(Columns.quarantined(
                            new Columns.Place(shard.name(), 0, ""), String.valueOf(e.getMessage()), 1))
                    .iterator();
        }
        TaskCompletionListener closing = ended -> close(entries);
        TaskContext.get().addTaskCompletionListener(closing);
        return new ShardScoring(shard.name(), entries, journal, loaded, settings);
    }

    private static void close(EntryStream entries) {
        try {
            entries.close();
        } catch (IOException e) {
            // Only read from: everything that counts has been read, or the task has failed already.
        }
    }
}
