package io.github.gramian.spark.job;

import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.model.Reading;
import io.github.gramian.spark.executor.EngineSettings;
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
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;
import org.jspecify.annotations.Nullable;

/**
 * Scores and describes all images of a source, into a table of Parquet files.
 *
 * <p>Shards are processed in waves, each a separate Spark job, one shard per task, without shuffling. A wave overwrites
 * its own folder, and counts when its record is written. A driver that starts again in the same folder continues after the
 * last record: a wave that was complete is not touched, one that was not is done again from its start, and so every image
 * has exactly one row. Spark and its committer handle repeated tasks; images that crash an executor are handled here, see
 * {@link AttemptJournal}.
 */
public final class DescribeJob {

    private static final int SHARDS_PER_CORE = 8;

    private final SparkSession spark;
    private final DescribeSettings asked;
    private final Consumer<WaveCommit> listener;

    /**
     * Prepares a job.
     *
     * @param listener is called for every complete wave, also for those that an earlier driver completed
     */
    public DescribeJob(SparkSession spark, DescribeSettings settings, Consumer<WaveCommit> listener) {
        EngineSettings.apply();
        this.spark = spark.newSession();
        // Described rows and quarantine side by side, without sorting the rows of a task first.
        this.spark.conf().set("spark.sql.maxConcurrentOutputFileWriters", 2);
        // Two numbers are all that is ever shuffled: the rows of each kind.
        this.spark.conf().set("spark.sql.shuffle.partitions", 1);
        this.asked = settings;
        this.listener = listener;
    }

    /**
     * Result of the job.
     *
     * @param described number of images with a row of results
     * @param quarantined number of images with a reason instead
     * @param waves that are complete now
     * @param wavesBefore those of them that an earlier driver completed
     */
    public record Summary(long described, long quarantined, int waves, int wavesBefore) {}

    /** Runs to the end, or continues where an earlier driver stopped. */
    public Summary run() throws IOException {
        if (spark.sparkContext().getConf().getBoolean("spark.speculation", false)) {
            throw new JobException("two attempts at one shard at a time would be mistaken for dead ones;"
                    + " run with spark.speculation=false");
        }
        Configuration hadoop = spark.sessionState().newHadoopConf();
        DescribeSettings settings = asked.with(asked.source().qualified(hadoop));
        ModelBytes model = ModelBytes.read(settings.model(), hadoop);
        model.description(); // a file that is not a model is refused here, not on every executor
        if (settings.coverage() != null) {
            model.reference().requireSets();
        }
        JobFolder folder = new JobFolder(settings.output(), hadoop);
        JobFolder.WavePlan plan = plan(settings, folder, model.sum(), hadoop);
        List<WaveCommit> done = folder.commits();
        done.forEach(listener);
        Summary before = new Summary(0, 0, 0, done.size());
        for (WaveCommit commit : done) {
            before = plus(before, commit);
        }
        return done.size() == plan.waves() ? before : goOn(before, settings, folder, plan, model, hadoop);
    }

    /** Works through the waves that are left. */
    private Summary goOn(
            Summary before,
            DescribeSettings settings,
            JobFolder folder,
            JobFolder.WavePlan plan,
            ModelBytes model,
            Configuration hadoop)
            throws IOException {
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        Broadcast<ModelBytes> modelEverywhere = context.broadcast(model);
        Broadcast<SerializableConfiguration> hadoopEverywhere =
                context.broadcast(new SerializableConfiguration(hadoop));
        try {
            Summary summary = before;
            for (int wave = before.waves(); wave < plan.waves(); wave++) {
                long start = System.currentTimeMillis();
                ShardTask task = new ShardTask(
                        settings, plan.wave(wave), folder.attempts(wave), modelEverywhere, hadoopEverywhere);
                write(context, plan.wave(wave).size(), task, folder.rows(wave));
                WaveCommit commit = counted(wave, folder.rows(wave), start);
                folder.commit(commit);
                listener.accept(commit);
                summary = plus(summary, commit);
            }
            return summary;
        } finally {
            // Also after a failure, and not only when the garbage collector comes: a model is large.
            modelEverywhere.destroy();
            hadoopEverywhere.destroy();
        }
    }

    private JobFolder.WavePlan plan(DescribeSettings settings, JobFolder folder, String modelSum, Configuration hadoop)
            throws IOException {
        Optional<JobFolder.WavePlan> started = folder.plan();
        if (started.isPresent()) {
            started.get().checkSame(settings, modelSum);
            return started.get();
        }
        if (folder.isTaken()) {
            throw new JobException(folder.root() + " contains other files; give a directory that is empty or new");
        }
        List<ShardSource.Shard> shards = settings.source().list(hadoop);
        if (shards.isEmpty()) {
            throw new JobException(
                    "nothing to describe: no shards in " + settings.source().identity());
        }
        int defaultWave = SHARDS_PER_CORE * spark.sparkContext().defaultParallelism();
        JobFolder.WavePlan plan = new JobFolder.WavePlan(
                settings.source().identity(),
                modelSum,
                settings.rowIdentity(),
                settings.shardsPerWave() == 0 ? defaultWave : settings.shardsPerWave(),
                shards);
        folder.write(plan);
        return plan;
    }

    private void write(JavaSparkContext context, int shards, ShardTask task, String target) {
        List<Integer> indices = IntStream.range(0, shards).boxed().toList();
        JavaRDD<Row> rows = context.parallelize(indices, shards).flatMap(task);
        spark.createDataFrame(rows, Columns.SCHEMA)
                .write()
                .mode(SaveMode.Overwrite)
                .partitionBy(Columns.KIND)
                .parquet(target);
    }

    /** Counts what was really written, by reading it. */
    private WaveCommit counted(int wave, String rows, long start) {
        Dataset<Row> written = spark.read().schema(Columns.SCHEMA).parquet(rows);
        Map<String, Long> counts = new HashMap<>();
        for (Row row : written.groupBy(Columns.KIND).count().collectAsList()) {
            counts.put(row.getString(0), row.getLong(1));
        }
        long described = counts.getOrDefault(Columns.DESCRIBED, 0L);
        long quarantined = counts.getOrDefault(Columns.QUARANTINE, 0L);
        if (quarantined > asked.maxRejected() * (described + quarantined)) {
            String reason = written.filter(written.col(Columns.KIND).equalTo(Columns.QUARANTINE))
                    .select(Columns.REASON)
                    .first()
                    .getString(0);
            throw new JobException(quarantined + " of " + (described + quarantined) + " images of wave " + wave
                    + " were rejected, the first because: " + reason + "; the wave is not committed. See " + rows
                    + ", or allow more with --most-rejected");
        }
        return new WaveCommit(wave, described, quarantined, start, System.currentTimeMillis());
    }

    private static Summary plus(Summary sum, WaveCommit commit) {
        return new Summary(
                sum.described + commit.described(),
                sum.quarantined + commit.quarantined(),
                sum.waves + 1,
                sum.wavesBefore);
    }

    /**
     * The record of a complete wave.
     *
     * @param wave its number, from 0
     * @param described number of rows with results
     * @param quarantined number of rows with reasons
     * @param startedAt when the wave was started, milliseconds since 1970
     * @param committedAt when it was complete, milliseconds since 1970
     */
    public record WaveCommit(int wave, long described, long quarantined, long startedAt, long committedAt) {}

    /** A task of a wave: maps the index of a shard to its rows. */
    private static final class ShardTask implements FlatMapFunction<Integer, Row> {

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
}
