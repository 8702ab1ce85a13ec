package io.github.gramian.similar.index.internal;

import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.BatchPredictor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A model file that is loaded when it is first needed. Safe for use by many threads; only {@link #close} must come last. */
public final class LoadedModel implements IndexModel, AutoCloseable {

    private final Path file;
    private @Nullable BatchPredictor predictor;

    public LoadedModel(Path file) {
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
