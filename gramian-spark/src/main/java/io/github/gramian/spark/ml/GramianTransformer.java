package io.github.gramian.spark.ml;

import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.spark.executor.EngineSettings;
import io.github.gramian.spark.executor.ExecutorModel;
import io.github.gramian.spark.executor.ImageBatcher;
import io.github.gramian.spark.executor.ModelBytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.ml.Transformer;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsReader$;
import org.apache.spark.ml.util.DefaultParamsWriter$;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * A trained model as a stage of a Spark ML pipeline: a column of image files (bytes) in; the predicted class, probabilities,
 * descriptor, novelty and set of classes out, each in its own column or, with an empty name, not at all.
 *
 * <p>What is not an image gets nulls and a reason ({@code handleInvalid = keep}), loses its row ({@code skip}) or ends the
 * job ({@code error}). Saving writes the model's file into the folder of the stage, so that what is saved is complete.
 *
 * <p>Spark finds the parameters by the public methods without arguments that return them.
 */
public final class GramianTransformer extends Transformer implements MLWritable {

    private static final long serialVersionUID = 1;
    private static final int MAX_BATCH = 4096;

    static {
        EngineSettings.apply();
    }

    private final String uid;
    private final Param<String> model;
    private final Param<String> inputCol;
    private final Param<String> predictionCol;
    private final Param<String> probabilityCol;
    private final Param<String> descriptorCol;
    private final Param<String> noveltyCol;
    private final Param<String> setCol;
    private final DoubleParam coverage;
    private final Param<String> errorCol;
    private final Param<String> handleInvalid;
    private final IntParam batchSize;
    private final IntParam threads;

    private transient @Nullable ModelBytes bytes;
    private transient @Nullable String bytesOf;

    /** A stage whose model is still to be set. */
    public GramianTransformer() {
        this(Identifiable.randomUID("gramian"));
    }

    /** For Spark, which makes copies by it. */
    @SuppressWarnings("this-escape") // a Param refers to its owner
    public GramianTransformer(String uid) {
        this.uid = uid;
        this.model = new Param<>(this, "model", "path of the model file");
        this.inputCol = new Param<>(this, "inputCol", "column with the bytes of image files");
        this.predictionCol =
                new Param<>(this, "predictionCol", "column for the index of the predicted class; empty for none");
        this.probabilityCol =
                new Param<>(this, "probabilityCol", "column for the probabilities of all classes; empty for none");
        this.descriptorCol = new Param<>(this, "descriptorCol", "column for the descriptor; empty for none");
        this.noveltyCol =
                new Param<>(this, "noveltyCol", "column for the novelty of the image, as a p-value; empty for none");
        this.setCol = new Param<>(this, "setCol", "column for the set of classes, if a coverage is set");
        this.coverage = new DoubleParam(
                this, "coverage", "coverage of sets of classes", ParamValidators.inRange(0, 1, false, false));
        this.errorCol =
                new Param<>(this, "errorCol", "column for the reason why an image was rejected; empty for none");
        this.handleInvalid = new Param<>(
                this,
                "handleInvalid",
                "handling of rows without a readable image: keep, skip or error",
                ParamValidators.inArray(Arrays.asList("keep", "skip", "error")));
        this.batchSize =
                new IntParam(this, "batchSize", "number of images per batch", ParamValidators.inRange(1, MAX_BATCH));
        this.threads =
                new IntParam(this, "threads", "number of engine threads per task", ParamValidators.inRange(1, 1024));
        setDefault(inputCol, "content");
        setDefault(predictionCol, "prediction");
        setDefault(probabilityCol, "probability");
        setDefault(descriptorCol, "");
        setDefault(noveltyCol, "");
        setDefault(setCol, "set");
        setDefault(errorCol, "error");
        setDefault(handleInvalid, "keep");
        setDefault(batchSize, 32);
        setDefault(threads, 1);
    }

    public static MLReader<GramianTransformer> read() {
        return new Reader();
    }

    /** Loads a stage, with the model that was saved in it. */
    public static GramianTransformer load(String path) {
        return read().load(path);
    }

    @Override
    public MLWriter write() {
        return new Writer(this);
    }

    @Override
    public StructType transformSchema(StructType schema) {
        OutputColumns columns = columns();
        columns.require(reference(), findsDefects());
        return columns.checked(schema, description(), findsDefects());
    }

    @Override
    public Dataset<Row> transform(Dataset<?> rows) {
        StructType schema = transformSchema(rows.schema());
        SparkSession spark = rows.sparkSession();
        RowScoring scoring = new RowScoring(
                JavaSparkContext.fromSparkContext(spark.sparkContext()).broadcast(bytes()),
                rows.schema().fieldIndex(getOrDefault(inputCol)),
                columns(),
                getOrDefault(handleInvalid),
                (Integer) getOrDefault((Param<?>) batchSize),
                (Integer) getOrDefault((Param<?>) threads));
        Dataset<Row> scored = rows.toDF().mapPartitions(scoring, Encoders.row(schema));
        // Spark loses the metadata of columns when rows pass through Java: set it again.
        return scored.select(Arrays.stream(schema.fields())
                .map(GramianTransformer::annotated)
                .toArray(Column[]::new));
    }

    private static Column annotated(StructField field) {
        return functions.col("`" + field.name().replace("`", "``") + "`").as(field.name(), field.metadata());
    }

    @Override
    public GramianTransformer copy(ParamMap extra) {
        return defaultCopy(extra);
    }

    /** Names of the model's classes, in the order of the probabilities. */
    public List<String> classes() {
        return description().classes();
    }

    /** The model's file; read when it is first needed. */
    synchronized ModelBytes bytes() {
        if (!isDefined(model)) {
            throw new IllegalArgumentException(uid() + " has no model; call setModel with the path of a model.gramian");
        }
        String path = getOrDefault(model);
        ModelBytes read = bytes;
        if (read == null || !path.equals(bytesOf)) {
            try {
                read = ModelBytes.read(
                        path, SparkSession.active().sessionState().newHadoopConf());
            } catch (IOException failure) {
                throw new UncheckedIOException(failure.getMessage(), failure);
            }
            bytes = read;
            bytesOf = path;
        }
        return read;
    }

    private ModelDescription description() {
        try {
            return bytes().description();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure.getMessage(), failure);
        }
    }

    private ModelCertainty reference() {
        try {
            return bytes().reference();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure.getMessage(), failure);
        }
    }

    private boolean findsDefects() {
        try {
            return bytes().findsDefects();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure.getMessage(), failure);
        }
    }

    private OutputColumns columns() {
        return new OutputColumns(
                getOrDefault(inputCol),
                getOrDefault(predictionCol),
                getOrDefault(probabilityCol),
                getOrDefault(descriptorCol),
                getOrDefault(noveltyCol),
                getOrDefault(setCol),
                isDefined(coverage) ? (Double) getOrDefault((Param<?>) coverage) : null,
                getOrDefault(errorCol));
    }

    @Override
    public String uid() {
        return uid;
    }

    public Param<String> model() {
        return model;
    }

    public Param<String> inputCol() {
        return inputCol;
    }

    public Param<String> predictionCol() {
        return predictionCol;
    }

    public Param<String> probabilityCol() {
        return probabilityCol;
    }

    public Param<String> descriptorCol() {
        return descriptorCol;
    }

    public Param<String> noveltyCol() {
        return noveltyCol;
    }

    public Param<String> setCol() {
        return setCol;
    }

    public DoubleParam coverage() {
        return coverage;
    }

    public Param<String> errorCol() {
        return errorCol;
    }

    public Param<String> handleInvalid() {
        return handleInvalid;
    }

    public IntParam batchSize() {
        return batchSize;
    }

    public IntParam threads() {
        return threads;
    }

    /** The model's file, on any file system that Hadoop knows; only the driver reads it. */
    public GramianTransformer setModel(String path) {
        set(model, path);
        return this;
    }

    /** The column with the bytes of image files; {@code content} unless set. */
    public GramianTransformer setInputCol(String name) {
        set(inputCol, name);
        return this;
    }

    /** The column for the place of the predicted class; {@code prediction} unless set, empty for none. */
    public GramianTransformer setPredictionCol(String name) {
        set(predictionCol, name);
        return this;
    }

    /** The column for probabilities; {@code probability} unless set, empty for none. */
    public GramianTransformer setProbabilityCol(String name) {
        set(probabilityCol, name);
        return this;
    }

    /** The column for descriptors; none unless set. */
    public GramianTransformer setDescriptorCol(String name) {
        set(descriptorCol, name);
        return this;
    }

    /** The column for the novelty of images; none unless set. The model must have a reference of its training images. */
    public GramianTransformer setNoveltyCol(String name) {
        set(noveltyCol, name);
        return this;
    }

    /** The column for sets of classes; {@code set} unless set. */
    public GramianTransformer setSetCol(String name) {
        set(setCol, name);
        return this;
    }

    /** Adds sets of classes that hold the true class for this share of images. The model must have calibration scores. */
    public GramianTransformer setCoverage(double share) {
        set("coverage", share);
        return this;
    }

    /** The column for reasons of rejection; {@code error} unless set, empty for none. */
    public GramianTransformer setErrorCol(String name) {
        set(errorCol, name);
        return this;
    }

    /** Handling of rows without a readable image: {@code keep} (default), {@code skip} or {@code error}. */
    public GramianTransformer setHandleInvalid(String what) {
        set(handleInvalid, what);
        return this;
    }

    /** Images that are read at once; 32 unless set. */
    public GramianTransformer setBatchSize(int images) {
        set("batchSize", images);
        return this;
    }

    /** Threads of the engine a task; 1 unless set. */
    public GramianTransformer setThreads(int count) {
        set("threads", count);
        return this;
    }

    /** Loads a stage with the model in its folder, wherever that folder is, and checks the model's hash. */
    static final class Reader extends MLReader<GramianTransformer> {

        private static final int SUM_LENGTH = 64;

        @Override
        public GramianTransformer load(String path) {
            DefaultParamsReader.Metadata metadata =
                    DefaultParamsReader$.MODULE$.loadMetadata(path, sparkSession(), GramianTransformer.class.getName());
            GramianTransformer stage = new GramianTransformer(metadata.uid());
            metadata.getAndSetParams(stage, metadata.getAndSetParams$default$2());
            String model = model(path);
            stage.setModel(model);
            String expected = sum(path);
            String found = stage.bytes().sum();
            if (!found.equals(expected)) {
                throw new ModelException(model + " is not the model that was saved (its hash is " + found + ", not "
                        + expected + "); copy the directory again");
            }
            return stage;
        }

        private String model(String path) {
            Path exported = new Path(path, Writer.EXPORTED);
            try {
                FileSystem files =
                        exported.getFileSystem(sparkSession().sessionState().newHadoopConf());
                return (files.exists(exported) ? exported : new Path(path, Writer.MODEL)).toString();
            } catch (IOException e) {
                throw new UncheckedIOException(path + " cannot be read: " + e.getMessage(), e);
            }
        }

        private String sum(String path) {
            Path file = new Path(path, Writer.SUM);
            try {
                FileSystem files =
                        file.getFileSystem(sparkSession().sessionState().newHadoopConf());
                try (InputStream in = files.open(file)) {
                    return new String(in.readNBytes(SUM_LENGTH), StandardCharsets.US_ASCII);
                }
            } catch (IOException failure) {
                throw new UncheckedIOException(path + " holds no complete stage; copy the directory again", failure);
            }
        }
    }

    /** Saves a stage: its parameters as Spark saves them, its model's file next to them, and the file's hash. */
    static final class Writer extends MLWriter {

        static final String MODEL = "model.gramian";
        static final String EXPORTED = "model.onnx";
        static final String SUM = "model.sha256";

        private final GramianTransformer stage;

        Writer(GramianTransformer stage) {
            this.stage = stage;
        }

        @Override
        public void saveImpl(String path) {
            ModelBytes model = stage.bytes();
            try {
                FileSystem files = new Path(path)
                        .getFileSystem(sparkSession().sessionState().newHadoopConf());
                try (OutputStream out = files.create(new Path(path, model.isOnnx() ? EXPORTED : MODEL), true)) {
                    model.writeTo(out);
                }
                try (OutputStream out = files.create(new Path(path, SUM), true)) {
                    out.write((model.sum() + "\n").getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException failure) {
                throw new UncheckedIOException("the model could not be saved in " + path, failure);
            }
            // Last: a folder with metadata is complete.
            DefaultParamsWriter$.MODULE$.saveMetadata(stage, path, sparkSession());
        }
    }

    /** Adds our columns to the rows of a partition, a batch at a time, in their order. */
    private static final class RowScoring implements MapPartitionsFunction<Row, Row> {

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
}
