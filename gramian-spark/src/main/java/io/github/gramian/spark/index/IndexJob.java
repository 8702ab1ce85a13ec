package io.github.gramian.spark.index;

import io.github.gramian.io.internal.TemporaryFolder;
import io.github.gramian.json.internal.Json;
import io.github.gramian.similar.index.internal.Manifest;
import io.github.gramian.similar.index.internal.PartBuild;
import io.github.gramian.similar.index.internal.Photo;
import io.github.gramian.similar.vector.internal.Reduction;
import io.github.gramian.spark.executor.EngineSettings;
import io.github.gramian.spark.executor.ModelBytes;
import io.github.gramian.spark.job.DescribedTable;
import io.github.gramian.spark.job.DescriptorEncoding;
import io.github.gramian.spark.job.JobException;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.SerializableConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * Builds indexes of a described table, one per part, and adds them to a directory of parts.
 *
 * <p>A part is built by one task in a local directory, copied, and exists once its record is there; so every row is in exactly
 * one part, however often tasks are repeated. The manifest is written last. A driver that starts again continues with the
 * parts that have no record.
 */
public final class IndexJob {

    private final SparkSession spark;
    private final Settings settings;
    private final Configuration hadoop;

    public IndexJob(SparkSession spark, Settings settings) {
        EngineSettings.apply();
        this.spark = spark;
        this.settings = settings;
        this.hadoop = spark.sessionState().newHadoopConf();
    }

    /**
     * Result of the job.
     *
     * @param photographs of the table in its parts
     * @param quarantined number of rows of the table that could not be used
     * @param parts of the table
     * @param builtBefore those of them that an earlier driver built
     * @param allPhotographs number of photographs in the directory, with those of other tables
     */
    public record Summary(long photographs, long quarantined, int parts, int builtBefore, long allPhotographs) {}

    /** Runs to the end, or continues where an earlier driver stopped. */
    public Summary run() throws IOException {
        DescribedTable table = DescribedTable.open(settings.table(), hadoop);
        String model = requireModel(table);
        IndexOutput output = new IndexOutput(settings.output(), hadoop);
        output.requireOwn();
        Optional<Manifest> before = output.manifest();
        if (before.isPresent()) {
            requireSameModel(before.get(), table);
            List<Manifest.Part> known = parts(before.get(), table);
            if (!known.isEmpty()) {
                return summary(known, known.size(), before.get());
            }
        }
        String job = IndexPlan.id(table.folder());
        IndexPlan plan = plan(table, output, job);
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        Broadcast<SerializableConfiguration> everywhere = context.broadcast(new SerializableConfiguration(hadoop));
        try {
            Components components = components(table, output, context, everywhere);
            PartTask.Shared shared = new PartTask.Shared(
                    output.root().toString(),
                    job,
                    table.encoding(),
                    table.root(),
                    new Manifest(
                            model,
                            table.model(),
                            components.checksum(),
                            components.reduction().dimensions()));
            int done = build(plan, output, shared, components, context, everywhere);
            return commit(plan, output, shared, before, done);
        } finally {
            everywhere.destroy();
        }
    }

    /** The model's path as later searches find it. */
    private String requireModel(DescribedTable table) throws IOException {
        ModelBytes model = ModelBytes.read(settings.model(), hadoop);
        if (!model.sum().equals(table.model())) {
            throw new JobException(table.folder() + " was described with another model (SHA-256 "
                    + table.model().substring(0, 12) + "…) than " + settings.model() + " ("
                    + model.sum().substring(0, 12)
                    + "…); give the model that described it, or describe the images again"
                    + " with this one");
        }
        org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(settings.model());
        org.apache.hadoop.fs.Path whole = path.getFileSystem(hadoop).makeQualified(path);
        return "file".equals(whole.toUri().getScheme()) ? whole.toUri().getPath() : whole.toString();
    }

    private void requireSameModel(Manifest before, DescribedTable table) {
        if (!before.modelSha256().equals(table.model())) {
            throw new JobException(settings.output() + " was built with another model ("
                    + before.model() + ", SHA-256 "
                    + before.modelSha256().substring(0, 12) + "…) than the one that described "
                    + table.folder()
                    + "; index this table in another directory");
        }
    }

    /** Parts of the table that the manifest lists. */
    private static List<Manifest.Part> parts(Manifest manifest, DescribedTable table) {
        List<Manifest.Part> own = manifest.parts().stream()
                .filter(part -> part.table().equals(table.folder()))
                .toList();
        if (own.stream().anyMatch(part -> !part.tableIdentity().equals(table.identity()))) {
            throw IndexPlan.changed(table.folder());
        }
        return own;
    }

    private IndexPlan plan(DescribedTable table, IndexOutput output, String job) throws IOException {
        Optional<IndexPlan> started = output.plan(job);
        if (started.isPresent()) {
            started.get().checkSame(table);
            return started.get();
        }
        if (table.files().isEmpty()) {
            throw new JobException(table.folder() + " has no described image; see the reasons in its kind=quarantine");
        }
        IndexPlan plan =
                IndexPlan.of(table, settings.parts(), spark.sparkContext().defaultParallelism());
        output.write(job, plan);
        return plan;
    }

    private Components components(
            DescribedTable table,
            IndexOutput output,
            JavaSparkContext context,
            Broadcast<SerializableConfiguration> everywhere)
            throws IOException {
        int length = Components.length(table, hadoop);
        Optional<byte[]> stored = output.reduction();
        if (stored.isEmpty() && settings.like() != null) {
            stored = new IndexOutput(settings.like(), hadoop).reduction();
            if (stored.isEmpty()) {
                throw new JobException(settings.like() + " has no " + IndexOutput.REDUCTION
                        + "; give an index with --like, or leave the option out");
            }
        }
        Components components = stored.isPresent()
                ? Components.of(stored.get())
                : Components.fitted(table, length, settings.dimensions(), context, everywhere);
        if (components.reduction().length() != length) {
            throw new JobException(table.folder() + " has descriptors of " + length + " dimensions, but the principal"
                    + " components of the index are for "
                    + components.reduction().length()
                    + "; describe the images with the model of the index");
        }
        if (output.reduction().isEmpty()) {
            output.replaceReduction(components.bytes());
        }
        return components;
    }

    /** Builds the parts that are missing, and returns the number of those that were not. */
    private static int build(
            IndexPlan plan,
            IndexOutput output,
            PartTask.Shared shared,
            Components components,
            JavaSparkContext context,
            Broadcast<SerializableConfiguration> everywhere)
            throws IOException {
        List<PartTask.Work> missing = new ArrayList<>();
        for (int number = 0; number < plan.parts().size(); number++) {
            if (output.record(shared.job(), number).isEmpty()) {
                missing.add(
                        new PartTask.Work(number, new ArrayList<>(plan.parts().get(number))));
            }
        }
        if (!missing.isEmpty()) {
            Broadcast<byte[]> reduction = context.broadcast(components.bytes());
            try {
                context.parallelize(missing, missing.size())
                        .map(new PartTask(shared, reduction, everywhere))
                        .collect();
            } finally {
                reduction.destroy();
            }
        }
        return plan.parts().size() - missing.size();
    }

    private Summary commit(
            IndexPlan plan, IndexOutput output, PartTask.Shared shared, Optional<Manifest> before, int done)
            throws IOException {
        List<Manifest.Part> own = new ArrayList<>();
        long photographs = 0;
        long quarantined = 0;
        for (int number = 0; number < plan.parts().size(); number++) {
            IndexOutput.PartRecord record = output.record(shared.job(), number)
                    .orElseThrow(() -> new JobException(
                            "a record of a part in " + output.root() + " is gone; start the same command again"));
            photographs += record.photographs();
            quarantined += record.quarantined();
            if (record.photographs() > 0) {
                own.add(record.listed(plan.table(), plan.identity()));
            }
        }
        if (photographs == 0 || quarantined > settings.maxRejected() * (photographs + quarantined)) {
            throw new JobException(quarantined + " of " + (photographs + quarantined) + " rows of " + plan.table()
                    + " have no usable descriptor, so they are not added; see the reasons in " + output.root()
                    + "/_quarantine, or allow more with --most-rejected");
        }
        List<Manifest.Part> all = new ArrayList<>(before.map(Manifest::parts).orElse(List.of()));
        all.addAll(own);
        String root = before.isEmpty() || before.get().root().equals(shared.root()) ? shared.root() : "";
        Manifest manifest = before.orElse(shared.manifest()).with(root, all);
        output.replace(manifest);
        Set<String> committed = new HashSet<>();
        own.forEach(part -> committed.add(part.name()));
        output.sweep(shared.job(), committed);
        return new Summary(photographs, quarantined, own.size(), done, manifest.photographs());
    }

    private static Summary summary(List<Manifest.Part> parts, int before, Manifest manifest) {
        return new Summary(
                parts.stream().mapToLong(Manifest.Part::photographs).sum(),
                parts.stream().mapToLong(Manifest.Part::quarantined).sum(),
                parts.size(),
                before,
                manifest.photographs());
    }

    /**
     * Settings of an index job.
     *
     * @param table folder of a described table
     * @param output folder of the parts
     * @param model path of the model that described the images; only the driver reads it
     * @param dimensions of a vector; used when the output is new
     * @param like folder of other parts, or of an index, whose principal components a new output takes; null for new ones
     * @param parts number of parts; 0 for a number that fits the cluster and the table
     * @param maxRejected fraction of the rows that may end in quarantine before the job fails
     */
    public record Settings(
            String table,
            String output,
            String model,
            int dimensions,
            @Nullable String like,
            int parts,
            double maxRejected) {

        private static final int MAX_PARTS = 90_000;

        public Settings {
            if (dimensions < 1 || dimensions > Reduction.MAX_DIMENSIONS) {
                throw new IllegalArgumentException(
                        "dimensions must lie in 1.." + Reduction.MAX_DIMENSIONS + " but is " + dimensions);
            }
            if (parts < 0 || parts > MAX_PARTS) {
                throw new IllegalArgumentException("parts must lie in 0.." + MAX_PARTS + " but is " + parts);
            }
            if (!(maxRejected >= 0 && maxRejected <= 1)) {
                throw new IllegalArgumentException("maxRejected must lie in 0..1 but is " + maxRejected);
            }
        }

        /** 256 dimensions, and defaults for everything else. */
        public static Settings defaults(String table, String output, String model) {
            return new Settings(table, output, model, 256, null, 0, 0.5);
        }
    }

    /**
     * Builds one part: reads its files, builds the index in a local directory, copies it under a name of this attempt, and writes
     * the record. If the executor dies at any moment, the next attempt builds the part again; what the dead one has copied is not
     * recorded, and the driver removes it.
     */
    static final class PartTask implements Function<PartTask.Work, IndexOutput.PartRecord> {

        private static final long serialVersionUID = 1L;

        /** Rows in a quarantine file; the count has no limit. */
        private static final int MAX_LISTED = 10_000;

        /** Lucene stores no longer terms. */
        private static final int MAX_NAME_BYTES = 32_000;

        private final Shared settings;
        private final Broadcast<byte[]> reduction;
        private final Broadcast<SerializableConfiguration> hadoop;

        PartTask(Shared settings, Broadcast<byte[]> reduction, Broadcast<SerializableConfiguration> hadoop) {
            this.settings = settings;
            this.reduction = reduction;
            this.hadoop = hadoop;
        }

        /** What all parts share: the folder of the index, the job in it, the table's encoding and root, and the manifest. */
        record Shared(String output, String job, DescriptorEncoding encoding, String root, Manifest manifest)
                implements Serializable {}

        /** The files of one part. */
        record Work(int number, List<String> files) implements Serializable {}

        @Override
        public IndexOutput.PartRecord call(Work work) throws IOException {
            Configuration files = hadoop.value().value();
            IndexOutput output = new IndexOutput(settings.output(), files);
            var done = output.record(settings.job(), work.number());
            if (done.isPresent()) {
                return done.get(); // by an attempt whose result was lost
            }
            String name = IndexOutput.newName(settings.job(), work.number());
            try (TemporaryFolder folder = TemporaryFolder.create()) {
                Path local = folder.path().resolve("part");
                Rejected rejected = new Rejected();
                long photographs = build(work, local, rejected, files);
                Manifest.PartFiles built =
                        photographs == 0 ? new Manifest.PartFiles(List.of(), 0, "") : Manifest.PartFiles.of(local);
                output.upload(local, built.names(), name);
                if (rejected.count > 0) {
                    output.quarantine(name, rejected.lines.toString());
                }
                IndexOutput.PartRecord own = new IndexOutput.PartRecord(
                        work.number(), name, photographs, rejected.count, built.bytes(), built.checksum());
                IndexOutput.PartRecord counts = output.commit(settings.job(), own);
                if (!counts.equals(own)) {
                    output.delete(name); // another attempt was first
                }
                return counts;
            }
        }

        private long build(Work work, Path local, Rejected rejected, Configuration files) throws IOException {
            try (PartBuild build = PartBuild.in(local, settings.manifest(), reduction.value(), settings.root())) {
                for (String file : work.files()) {
                    int length = build.reduction().length();
                    try (DescribedTable.Rows rows = new DescribedTable.Rows(file, settings.encoding(), length, files)) {
                        for (DescribedTable.Rows.Described row = rows.next(); row != null; row = rows.next()) {
                            add(row, build, rejected);
                        }
                    }
                }
                return build.finish();
            }
        }

        private static void add(DescribedTable.Rows.Described row, PartBuild build, Rejected rejected)
                throws IOException {
            float[] descriptor = row.descriptor();
            if (descriptor == null) {
                rejected.add(row, row.problem());
            } else if (row.name().getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
                rejected.add(row, "its name is longer than " + MAX_NAME_BYTES + " bytes");
            } else {
                // A table has no hashes, sizes and times of files.
                build.add(new Photo(row.name(), "", 0, 0), descriptor);
            }
        }

        /** Rows that cannot be used. */
        private static final class Rejected {

            private final StringBuilder lines = new StringBuilder();
            private long count;

            void add(DescribedTable.Rows.Described row, @Nullable String reason) {
                if (count++ < MAX_LISTED) {
                    String name = row.name();
                    lines.append(Json.text(Json.members(
                                    Map.entry("shard", row.shard()),
                                    Map.entry("position", row.position()),
                                    Map.entry("name", name.substring(0, Math.min(1000, name.length()))),
                                    Map.entry("reason", String.valueOf(reason)))))
                            .append('\n');
                }
            }
        }
    }
}
