package io.github.gramian.spark.index;

import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.io.internal.TemporaryFolder;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.Reading;
import io.github.gramian.similar.index.internal.Manifest;
import io.github.gramian.similar.index.internal.PartedIndex;
import io.github.gramian.similar.index.internal.PhotoFilter;
import io.github.gramian.similar.index.internal.VectorIndex;
import io.github.gramian.similar.vector.internal.Reduction;
import io.github.gramian.spark.executor.EngineSettings;
import io.github.gramian.spark.executor.ExecutorModel;
import io.github.gramian.spark.executor.ImageBatcher;
import io.github.gramian.spark.executor.ModelBytes;
import io.github.gramian.spark.job.DescribedTable;
import io.github.gramian.spark.job.DescriptorEncoding;
import io.github.gramian.spark.job.JobException;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.lucene.search.Query;
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
    private final Manifest manifest;
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
                .orElseThrow(() -> new JobException(index.root() + " has no " + Manifest.PARTS
                        + "; make it with: gramian-spark index TABLE " + folder + " --model M"));
        this.components = Components.of(index.reduction().orElse(new byte[0]));
        if (!components.checksum().equals(manifest.reduction())) {
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
        ModelBytes bytes = ModelBytes.read(model == null ? manifest.model() : model, hadoop);
        if (!bytes.sum().equals(manifest.modelSha256())) {
            throw new JobException((model == null ? manifest.model() : model)
                    + " is not the model that the index was built with (SHA-256 "
                    + manifest.modelSha256().substring(0, 12) + "…); name that model with --model");
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
        if (!table.model().equals(manifest.modelSha256())) {
            throw new JobException(table.folder() + " was described with another model than " + index.root()
                    + "; describe the queries with the model of the index ("
                    + manifest.model() + ")");
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
            DescriptorEncoding encoding = table.encoding();
            Broadcast<SerializableConfiguration> hadoopThere = everywhere.hadoop;
            Iterator<Asked> rows = context.parallelize(files, files.size())
                    .flatMap(file ->
                            asked(file, encoding, reduction, hadoopThere.value().value()))
                    .toLocalIterator();
            return answer(rows, target, everywhere);
        } finally {
            reduction.destroy();
        }
    }

    private Summary answer(Iterator<Asked> rows, String target, Everywhere everywhere) throws IOException {
        List<String> names = new ArrayList<>();
        List<float[]> vectors = new ArrayList<>();
        long answered = 0;
        long rejected = 0;
        int block = 0;
        while (rows.hasNext()) {
            Asked row = rows.next();
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
                .parquet(Text.format("%s/block=%05d", target, block));
    }

    /** The results of all parts, merged on the executors, so that the driver receives one list per query. */
    private List<List<Hit>> found(List<float[]> queries, Everywhere everywhere) {
        String folder = index.root().toString();
        Manifest common = manifest.common();
        int limit = top;
        List<String> filter = filters;
        Broadcast<SerializableConfiguration> files = everywhere.hadoop;
        Broadcast<float[][]> vectors = context.broadcast(queries.toArray(float[][]::new));
        try {
            return context.parallelize(manifest.parts(), manifest.parts().size())
                    .map(part -> {
                        IndexOutput output =
                                new IndexOutput(folder, files.value().value());
                        return found(output, part, common, vectors.value(), limit, filter);
                    })
                    .treeReduce((one, other) -> merged(one, other, limit));
        } finally {
            vectors.destroy();
        }
    }

    /** Searches one part for all queries of a block. A part on a remote file system is copied to a local directory first. */
    private static List<List<Hit>> found(
            IndexOutput output, Manifest.Part part, Manifest common, float[][] queries, int top, List<String> filters)
            throws IOException {
        Optional<java.nio.file.Path> local = output.local(part.name());
        if (local.isPresent()) {
            return found(local.get(), part, common, queries, top, filters);
        }
        try (TemporaryFolder folder = TemporaryFolder.create()) {
            java.nio.file.Path copy = folder.path().resolve(part.name());
            output.download(part.name(), copy);
            return found(copy, part, common, queries, top, filters);
        }
    }

    private static List<List<Hit>> found(
            java.nio.file.Path local,
            Manifest.Part part,
            Manifest common,
            float[][] queries,
            int top,
            List<String> filters)
            throws IOException {
        @Nullable Query filter = PhotoFilter.of(filters);
        List<List<Hit>> all = new ArrayList<>();
        try (VectorIndex opened = PartedIndex.open(local, part, common)) {
            for (float[] query : queries) {
                List<Hit> hits = new ArrayList<>();
                for (VectorIndex.Neighbour near : opened.search(query, top, filter)) {
                    hits.add(new Hit(near.photo().path(), near.photo().label(), near.similarity()));
                }
                all.add(hits);
            }
        }
        return all;
    }

    /** The results of two parts as those of one. */
    private static List<List<Hit>> merged(List<List<Hit>> one, List<List<Hit>> other, int top) {
        List<List<Hit>> merged = new ArrayList<>();
        for (int i = 0; i < one.size(); i++) {
            merged.add(new ArrayList<>(Stream.concat(one.get(i).stream(), other.get(i).stream())
                    .sorted(Hit.NEAREST_FIRST)
                    .limit(top)
                    .toList()));
        }
        return merged;
    }

    /** A query; without a vector if its descriptor cannot be used. */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not stored
    private record Asked(String name, float @Nullable [] vector) implements Serializable {}

    /** The rows of a file of a described table as queries. */
    private static Iterator<Asked> asked(
            String file, DescriptorEncoding encoding, Broadcast<byte[]> reduction, Configuration hadoop)
            throws IOException {
        Reduction components = Components.of(reduction.value()).reduction();
        List<Asked> asked = new ArrayList<>();
        try (DescribedTable.Rows rows = new DescribedTable.Rows(file, encoding, components.length(), hadoop)) {
            for (DescribedTable.Rows.Described row = rows.next(); row != null; row = rows.next()) {
                float[] descriptor = row.descriptor();
                asked.add(new Asked(row.name(), descriptor == null ? null : components.apply(descriptor)));
            }
        }
        return asked.iterator();
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

    /**
     * A photograph that was found.
     *
     * @param name of the image in its table
     * @param label first directory of the name; empty if there is none
     * @param similarity −1 to 1
     */
    public record Hit(String name, String label, float similarity) implements Serializable {

        private static final long serialVersionUID = 1L;

        static final Comparator<Hit> NEAREST_FIRST =
                Comparator.comparing(Hit::similarity, Comparator.reverseOrder()).thenComparing(Hit::name);
    }
}
