package io.github.gramian.onnx.runtime.internal;

import io.github.gramian.model.ModelException;
import io.github.gramian.model.internal.Inference;
import io.github.gramian.model.internal.InferenceProvider;
import io.github.gramian.onnx.runtime.Int8Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** Runs files named {@code *.onnx} that {@code gramian export} has written. */
public final class OnnxProvider implements InferenceProvider {

    @Override
    public boolean reads(Path model) {
        return model.toString().toLowerCase(Locale.ROOT).endsWith(".onnx");
    }

    @Override
    public Inference load(Path model, int threads) throws IOException {
        try {
            return OnnxInference.load(model, threads, Int8Target.ofThisMachine());
        } catch (LinkageError e) {
            throw new ModelException(
                    model + " needs ONNX Runtime, which cannot be started (" + e.getMessage()
                            + "); add com.microsoft.onnxruntime:onnxruntime for this platform to the class path",
                    e);
        }
    }

    @Override
    public String engine() {
        // This class names no type of ONNX Runtime, so that it can be loaded without its jar.
        return "ONNX Runtime " + GraphSession.version();
    }
}
