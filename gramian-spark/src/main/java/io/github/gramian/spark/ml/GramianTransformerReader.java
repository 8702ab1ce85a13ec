package io.github.gramian.spark.ml;

import io.github.gramian.model.ModelException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsReader$;
import org.apache.spark.ml.util.MLReader;

/** Loads a stage with the model in its folder, wherever that folder is, and checks the model's hash. */
final class GramianTransformerReader extends MLReader<GramianTransformer> {

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
        Path exported = new Path(path, GramianTransformerWriter.EXPORTED);
        try {
            FileSystem files =
                    exported.getFileSystem(sparkSession().sessionState().newHadoopConf());
            return (files.exists(exported) ? exported : new Path(path, GramianTransformerWriter.MODEL)).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(path + " cannot be read: " + e.getMessage(), e);
        }
    }

    private String sum(String path) {
        Path file = new Path(path, GramianTransformerWriter.SUM);
        try {
            FileSystem files = file.getFileSystem(sparkSession().sessionState().newHadoopConf());
            try (InputStream in = files.open(file)) {
                return new String(in.readNBytes(SUM_LENGTH), StandardCharsets.US_ASCII);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(path + " holds no complete stage; copy the directory again", failure);
        }
    }
}
