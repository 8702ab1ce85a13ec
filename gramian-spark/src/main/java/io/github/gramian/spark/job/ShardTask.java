package io.github.gramian.spark.job;

import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.model.Reading;
import io.github.gramian.spark.executor.ExecutorModel;
import io.github.gramian.spark.executor.ImageBatcher;
import io.github.gramian.spark.executor.ModelBytes;
import io.github.gramian.spark.shard.ImageEntry;
import io.github.gramian.spark.shard.ShardException;
import io.github.gramian.spark.shard.ShardSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.locks.Lock;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Row;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;
import org.jspecify.annotations.Nullable;

/** A task of a wave: maps the index of a shard to its rows. */
final class ShardTask implements FlatMapFunction<Integer, Row> {

    private static final long serialVersionUID = 1;

    private final DescribeSettings settings;
    private final List<ShardSource.Shard> shards;
    private final String attempts;
    private final Broadcast<ModelBytes> model;
    private final Broadcast<SerializableConfiguration> hadoop;

    ShardTask(
            DescribeSettings settings,
            List<ShardSource.Shard> shards,
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
        ShardSource.Shard shard = shards.get(number);
        Configuration files = hadoop.value().value();
        // A sum in place of the name: shards lie in folders, and notes must not.
        AttemptJournal journal = new AttemptJournal(attempts + "/" + Sha256.of(shard.name()), files);
        ExecutorModel loaded = ExecutorModel.of(model.value(), settings.threads());
        ShardSource.EntryStream entries;
        try {
            entries = settings.source().open(shard, files, ImageLimits.DEFAULT.maxBytes());
        } catch (ShardException e) {
            return List.of(Columns.quarantined(
                            new Columns.Place(shard.name(), 0, ""), String.valueOf(e.getMessage()), 1))
                    .iterator();
        }
        TaskCompletionListener closing = ended -> close(entries);
        TaskContext.get().addTaskCompletionListener(closing);
        return new Scoring(shard.name(), entries, journal, loaded, settings);
    }

    private static void close(ShardSource.EntryStream entries) {
        try {
            entries.close();
        } catch (IOException e) {
            // Only read from: everything that counts has been read, or the task has failed already.
        }
    }

    /**
     * The rows of one shard, made as they are asked for: images are read, decoded and scored batch by batch, and no more than
     * one batch is in memory. A shard that is broken from some byte on gives the images before it and one row in quarantine.
     */
    static final class Scoring implements Iterator<Row> {

        private final String shard;
        private final ShardSource.EntryStream entries;
        private final AttemptJournal journal;
        private final ExecutorModel model;
        private final ImageBatcher batcher;
        private final DescribeSettings settings;
        private final Deque<Row> ready = new ArrayDeque<>();
        private int position;
        private boolean ended;
        private @Nullable String broken;

        Scoring(
                String shard,
                ShardSource.EntryStream entries,
                AttemptJournal journal,
                ExecutorModel model,
                DescribeSettings settings) {
            this.shard = shard;
            this.entries = entries;
            this.journal = journal;
            this.model = model;
            this.batcher = new ImageBatcher(model, ImageLimits.DEFAULT);
            this.settings = settings;
        }

        @Override
        public boolean hasNext() {
            try {
                while (ready.isEmpty() && !ended) {
                    scoreSome();
                    if (broken != null) {
                        ready.add(Columns.quarantined(new Columns.Place(shard, position, ""), broken, 1));
                        broken = null;
                    }
                }
                if (ready.isEmpty()) {
                    entries.close();
                }
                return !ready.isEmpty();
            } catch (IOException failure) {
                throw new UncheckedIOException("shard " + shard + ": " + failure.getMessage(), failure);
            }
        }

        @Override
        public Row next() {
            if (!hasNext()) {
                throw new NoSuchElementException("the shard has no more images");
            }
            return ready.remove();
        }

        private void scoreSome() throws IOException {
            if (!journal.isSuspect(position)) {
                int end = journal.endOfBatch(position, settings.batchSize());
                Lock together = model.use().readLock();
                together.lock();
                try (AttemptJournal.Note note = journal.batch(position, end)) {
                    score(end);
                } finally {
                    together.unlock();
                }
            } else if (journal.deaths(position) >= settings.deaths()) {
                passOver(journal.deaths(position));
            } else {
                Lock alone = model.use().writeLock();
                alone.lock();
                try (AttemptJournal.Note note = journal.alone(position)) {
                    score(position + 1);
                } finally {
                    alone.unlock();
                }
            }
        }

        /** Reads the images up to a position, or to the end of the shard. */
        private void score(int end) throws IOException {
            List<String> names = new ArrayList<>();
            int first = position;
            while (position < end && !ended) {
                ImageEntry entry = next(entries);
                if (entry != null) {
                    names.add(entry.name());
                    if (entry.refused() == null) {
                        batcher.add(entry.content());
                    } else {
                        batcher.reject(entry.refused());
                    }
                    position++;
                }
            }
            List<Reading> readings = batcher.read();
            for (int i = 0; i < names.size(); i++) {
                addRow(new Columns.Place(shard, first + i, names.get(i)), readings.get(i));
            }
        }

        /** The next entry; null at the end, also when what follows is broken. */
        private @Nullable ImageEntry next(ShardSource.EntryStream from) throws IOException {
            try {
                ImageEntry entry = from.next();
                ended = entry == null;
                return entry;
            } catch (ShardException e) {
                broken = "the shard is broken, and read no further: " + e.getMessage();
                ended = true;
                return null;
            }
        }

        private void addRow(Columns.Place place, Reading reading) {
            ready.add(reading.prediction()
                    .rejection()
                    .map(reason -> Columns.quarantined(place, reason, 1 + journal.deaths(place.position())))
                    .orElseGet(() -> row(place, reading)));
        }

        private Row row(Columns.Place place, Reading reading) {
            try {
                return Columns.described(place, reading, settings);
            } catch (ArithmeticException e) {
                return Columns.quarantined(place, String.valueOf(e.getMessage()), 1);
            }
        }

        /** Leaves out an image that crashed its executor too often. */
        private void passOver(int deaths) throws IOException {
            ImageEntry entry = next(entries);
            if (entry != null) {
                ready.add(Columns.quarantined(
                        new Columns.Place(shard, position, entry.name()),
                        "it crashed its executor in each of " + deaths + " attempts to read it by itself",
                        deaths));
                position++;
            }
        }
    }
}
