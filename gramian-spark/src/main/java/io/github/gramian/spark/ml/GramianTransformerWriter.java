package io.github.gramian.spark.ml;

import io.github.gramian.spark.executor.ModelBytes;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.ml.util.DefaultParamsWriter$;
import org.apache.spark.ml.util.MLWriter;

/** Saves a stage: its parameters as Spark saves them, its model's file next to them, and the file's hash. */
final class GramianTransformerWriter extends MLWriter {

    static final String MODEL = "model.gramian";
    static final String EXPORTED = "model.onnx";
    static final String SUM = "model.sha256";

    private final GramianTransformer stage;

    GramianTransformerWriter(GramianTransformer stage) {
        this.stage = stage;
    }

    @Override
    public void saveImpl(String path) {
        ModelBytes model = stage.bytes();
        try {
            FileSystem files =
                    new Path(path).getFileSystem(sparkSession().sessionState().newHadoopConf());
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
