package io.github.gramian.model.internal;

import io.github.gramian.model.ModelException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;

/** An engine for models in another format; found through {@link ServiceLoader}. */
public interface InferenceProvider {

    /** Whether a file is of its format, by the file's name. */
    boolean reads(Path model);

    /** Loads a file, with a thread for each processor. */
    default Inference load(Path model) throws IOException {
        return load(model, Runtime.getRuntime().availableProcessors());
    }

    /**
     * Loads a file.
     *
     * @param threads number of threads that compute one batch; those of several batches at once add up
     */
    Inference load(Path model, int threads) throws IOException;

    /** Starts the engine and returns its name. */
    String engine();

    /** All that are installed. */
    static List<InferenceProvider> all() {
        return ServiceLoader.load(InferenceProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    /** The one that reads a file; empty for a file of our own format. */
    static Optional<InferenceProvider> of(Path model) throws ModelException {
        for (InferenceProvider provider : all()) {
            if (provider.reads(model)) {
                return Optional.of(provider);
            }
        }
        if (model.toString().toLowerCase(Locale.ROOT).endsWith(".onnx")) {
            throw new ModelException(model + " is an ONNX file, which needs the module gramian-onnx; add its jar and"
                    + " ONNX Runtime's to the class path, or give the model.gramian of a run");
        }
        return Optional.empty();
    }
}
