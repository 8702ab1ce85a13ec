package io.github.gramian.similar.index.internal;

import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.BatchPredictor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The model of an index: which file it is, and descriptors once they are needed. */
public interface IndexModel {

    /** Path of the model's file. */
    Path file();

    /** SHA-256 of the file. */
    default String sha256() throws IOException {
        return new Sha256().add(file()).hex();
    }

    /** Dimensions of a descriptor. */
    int descriptorLength() throws IOException;

    /** Describes files in their order; a file that is not an image is a rejected reading. */
    void describe(List<Path> files, int batch, Consumer<Reading> receiver) throws IOException;

    /** A model file that is loaded when it is first needed. Safe for use by many threads; only {@link #close} must come last. */
    static final class Loaded implements IndexModel, AutoCloseable {

        private final Path file;
        private @Nullable BatchPredictor predictor;

        public Loaded(Path file) {
            this.file = file;
        }

        @Override
        public Path file() {
            return file;
        }

        private synchronized BatchPredictor predictor() throws IOException {
            BatchPredictor loaded = predictor;
            if (loaded == null) {
                loaded = BatchPredictor.load(file);
                predictor = loaded;
            }
            return loaded;
        }

        @Override
        public int descriptorLength() throws IOException {
            return predictor().descriptorLength();
        }

        @Override
        public void describe(List<Path> files, int batch, Consumer<Reading> receiver) throws IOException {
            predictor().describe(files, LoaderSettings.defaults(batch), receiver);
        }

        @Override
        public synchronized void close() {
            if (predictor != null) {
                predictor.close();
                predictor = null;
            }
        }
    }
}
