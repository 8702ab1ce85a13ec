package io.github.gramian.onnx.runtime;

import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import java.nio.file.Path;

/** How files are opened on ONNX Runtime, wherever that is. */
public final class Sessions {

    private Sessions() {}

    /**
     * Loads a file; the caller closes it.
     *
     * @param threads that compute one batch; those of several batches at once add up
     */
    public static OrtSession open(Path file, int threads) throws OrtException {
        // Only what ends in an error is worth a line on the terminal, and that becomes an exception.
        OrtEnvironment environment = OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL);
        environment.setTelemetry(false); // on Windows it reports by default
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(threads);
            options.setInterOpNumThreads(1);
            // Waiting threads sleep: they would take the processors from those that decode images.
            options.addConfigEntry("session.intra_op.allow_spinning", "0");
            return environment.createSession(file.toString(), options);
        }
    }
}
