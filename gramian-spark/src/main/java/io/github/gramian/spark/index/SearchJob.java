package io.github.gramian.spark.index;

import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.model.Reading;
import io.github.gramian.similar.index.internal.PartsManifest;
import io.github.gramian.similar.index.internal.PhotoFilter;
import io.github.gramian.similar.index.internal.VectorIndex;
import io.github.gramian.spark.executor.EngineSettings;
import io.github.gramian.spark.executor.ExecutorModel;
import io.github.gramian.spark.executor.ImageBatcher;
import io.github.gramian.spark.executor.ModelBytes;
import io.github.gramian.spark.job.DescribedTable;
import io.github.gramian.spark.job.JobException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import org.jspecify.annotations.Nullable;

/** Searches all parts of an index, one task per part, and merges the results. */
public final class SearchJob {

    /** Queries that are searched together; each part is opened once for them. */
    private static final int BLOCK = 8192;

    private static final StructType RESULT = new StructType()
            .add("query", DataTypes.StringType)
            .add("rank", DataTypes.IntegerType)
            .add("name", DataTypes.StringType)
            .add("label", DataTypes.StringType)
            .add("similarity", DataTypes.FloatType);

    private final SparkSession spark;
    private final JavaSparkContext context;
    private final Configuration hadoop;
    private final IndexOutput index;
    private final PartsManifest manifest;
    private final Components components;
    private final int top;
    private final List<String> filters;

    /**
     * Opens an index.
     *
     * @param top number of photographs per query
     * @param filters as in {@code gramian similar}
     */
    public SearchJob(SparkSession spark, String folder, int top, List<String> filters) throws IOException {
        EngineSettings.apply();
        if (top < 1 || top > VectorIndex.MAX_RESULTS) {
            throw new IllegalArgumentException("top must lie in 1.." + VectorIndex.MAX_RESULTS + " but is " + top);
        }
        PhotoFilter.of(filters); // an unknown filter is refused here, not on every executor
        this.spark = spark;
        this.context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        this.hadoop = spark.sessionState().newHadoopConf();
        this.index = new IndexOutput(folder, hadoop);
        this.manifest = index.manifest()
                .orElseThrow(() -> new JobException(index.root() + " has no " + PartsManifest.FILE
                        + "; make it with: gramian-spark index TABLE " + folder + " --model M"));
        this.components = Components.of(index.reduction().orElse(new byte[0]));
        if (!components.checksum().equals(manifest.common().reduction())) {
            throw new JobException(index.root() + "/" + IndexOutput.REDUCTION
                    + " does not belong to the manifest next to it; copy the index again, or build it again");
        }
        this.top = top;
        this.filters = new ArrayList<>(filters);
    }

    /**
     * The photographs most similar to one.
     *
     * @param photo bytes of its file
     * @param model path of the model; null for the one of the index
     */
    public List<Hit> similar(byte[] photo, @Nullable String model) throws IOException {
        ModelBytes bytes = ModelBytes.read(model == null ? manifest.common().model() : model, hadoop);
        if (!bytes.sum().equals(manifest.common().modelSha256())) {
            throw new JobException((model == null ? manifest.common().model() : model)
                    + " is not the model that the index was built with (SHA-256 "
                    + manifest.common().modelSha256().substring(0, 12) + "…); name that model with --model");
        }
        ImageBatcher batcher = new ImageBatcher(ExecutorModel.of(bytes, 1), ImageLimits.DEFAULT);
        batcher.add(photo);
        Reading reading = batcher.read().get(0);
        reading.prediction().rejection().ifPresent(reason -> {
            throw new JobException("the photograph cannot be read: " + reason);
        });
        try (Everywhere everywhere = new Everywhere()) {
            return found(List.of(components.reduction().apply(reading.descriptor())), everywhere)
                    .get(0);
        }
    }

    /**
     * Result of a search with many queries.
     *
     * @param queries number of queries that were answered
     * @param rejected number of rows without a usable descriptor
     */
    public record Summary(long queries, long rejected) {}

    /** Searches with every row of a described table, and writes the results as a table. */
    public Summary similar(String queries, String target) throws IOException {
        DescribedTable table = DescribedTable.open(queries, hadoop);
        if (!table.model().equals(manifest.common().modelSha256())) {
            throw new JobException(table.folder() + " was described with another model than " + index.root()
                    + "; describe the queries with the model of the index ("
                    + manifest.common().model() + ")");
        }
        Path path = new Path(target);
        if (path.getFileSystem(hadoop).exists(path)) {
            throw new JobException(target + " exists; give a new directory for the results");
        }
        if (table.files().isEmpty()) {
            throw new JobException(table.folder() + " has no described image; see the reasons in its kind=quarantine");
        }
        List<String> files =
                table.files().stream().map(DescribedTable.DataFile::path).toList();
        Broadcast<byte[]> reduction = context.broadcast(components.bytes());
        try (Everywhere everywhere = new Everywhere()) {
            QueryTask task = new QueryTask(table.encoding(), reduction, everywhere.hadoop);
            Iterator<QueryTask.Asked> rows =
                    context.parallelize(files, files.size()).flatMap(task).toLocalIterator();
            return answer(rows, target, everywhere);
        } finally {
            reduction.destroy();
        }
    }

    private Summary answer(Iterator<QueryTask.Asked> rows, String target, Everywhere everywhere) throws IOException {
        List<String> names = new ArrayList<>();
        List<float[]> vectors = new ArrayList<>();
        long answered = 0;
        long rejected = 0;
        int block = 0;
        while (rows.hasNext()) {
            QueryTask.Asked row = rows.next();
            float[] vector = row.vector();
            if (vector == null) {
                rejected++;
            } else {
                names.add(row.name());
                vectors.add(vector);
            }
            if (vectors.size() == BLOCK || (!rows.hasNext() && !vectors.isEmpty())) {
                write(names, found(vectors, everywhere), target, block++);
                answered += vectors.size();
                names.clear();
                vectors.clear();
            }
        }
        return new Summary(answered, rejected);
    }

    private void write(List<String> names, List<List<Hit>> found, String target, int block) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            int rank = 1;
            for (Hit hit : found.get(i)) {
                rows.add(RowFactory.create(names.get(i), rank++, hit.name(), hit.label(), hit.similarity()));
            }
        }
        spark.createDataFrame(rows, RESULT)
                .coalesce(1)
                .write()
                .mode(SaveMode.Overwrite)
                .parquet(String.format(Locale.ROOT, "%s/block=%05d", target, block));
    }

    /** The results of all parts, merged on the executors, so that the driver receives one list per query. */
    private List<List<Hit>> found(List<float[]> queries, Everywhere everywhere) {
        PartSearch.Settings settings = new PartSearch.Settings(
                index.root().toString(),
                manifest.common().model(),
                manifest.common().modelSha256(),
                manifest.common().reduction(),
                manifest.common().dimensions(),
                top,
                filters);
        Broadcast<float[][]> vectors = context.broadcast(queries.toArray(float[][]::new));
        try {
            int limit = top;
            return context.parallelize(manifest.parts(), manifest.parts().size())
                    .map(new PartSearch(settings, vectors, everywhere.hadoop))
                    .treeReduce((one, other) -> PartSearch.merged(one, other, limit));
        } finally {
            vectors.destroy();
        }
    }

    /** Hadoop's settings on all executors. */
    private final class Everywhere implements AutoCloseable {

        private final Broadcast<SerializableConfiguration> hadoop =
                context.broadcast(new SerializableConfiguration(SearchJob.this.hadoop));

        @Override
        public void close() {
            hadoop.destroy();
        }
    }
}
