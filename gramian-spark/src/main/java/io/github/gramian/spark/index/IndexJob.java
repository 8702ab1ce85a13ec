package io.github.gramian.spark.index;

import io.github.gramian.similar.index.internal.Manifest;
import io.github.gramian.similar.index.internal.PartsManifest;
import io.github.gramian.similar.vector.internal.Reduction;
import io.github.gramian.spark.executor.EngineSettings;
import io.github.gramian.spark.executor.ModelBytes;
import io.github.gramian.spark.job.DescribedTable;
import io.github.gramian.spark.job.JobException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaSparkContext;
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
        Optional<PartsManifest> before = output.manifest();
        if (before.isPresent()) {
            requireSameModel(before.get(), table);
            List<PartsManifest.Part> known = parts(before.get(), table);
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
            PartTask.Settings shared = new PartTask.Settings(
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
        Path path = new Path(settings.model());
        Path whole = path.getFileSystem(hadoop).makeQualified(path);
        return "file".equals(whole.toUri().getScheme()) ? whole.toUri().getPath() : whole.toString();
    }

    private void requireSameModel(PartsManifest before, DescribedTable table) {
        if (!before.common().modelSha256().equals(table.model())) {
            throw new JobException(settings.output() + " was built with another model ("
                    + before.common().model() + ", SHA-256 "
                    + before.common().modelSha256().substring(0, 12) + "…) than the one that described "
                    + table.folder()
                    + "; index this table in another directory");
        }
    }

    /** Parts of the table that the manifest lists. */
    private static List<PartsManifest.Part> parts(PartsManifest manifest, DescribedTable table) {
        List<PartsManifest.Part> own = manifest.parts().stream()
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
            PartTask.Settings shared,
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
            IndexPlan plan, IndexOutput output, PartTask.Settings shared, Optional<PartsManifest> before, int done)
            throws IOException {
        List<PartsManifest.Part> own = new ArrayList<>();
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
        List<PartsManifest.Part> all =
                new ArrayList<>(before.map(PartsManifest::parts).orElse(List.of()));
        all.addAll(own);
        String root = before.isEmpty() || before.get().root().equals(shared.root()) ? shared.root() : "";
        Manifest common = before.map(PartsManifest::common).orElse(shared.manifest());
        PartsManifest manifest = new PartsManifest(common, root, all);
        output.replace(manifest);
        Set<String> committed = new HashSet<>();
        own.forEach(part -> committed.add(part.name()));
        output.sweep(shared.job(), committed);
        return new Summary(photographs, quarantined, own.size(), done, manifest.photographs());
    }

    private static Summary summary(List<PartsManifest.Part> parts, int before, PartsManifest manifest) {
        return new Summary(
                parts.stream().mapToLong(PartsManifest.Part::photographs).sum(),
                parts.stream().mapToLong(PartsManifest.Part::quarantined).sum(),
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
}
