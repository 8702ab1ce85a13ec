package io.github.gramian.model.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.model.ModelException;
import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** Loads a model on the engine that its file needs: LibTorch, or one that another module provides. */
final class InferenceLoading {

    private InferenceLoading() {}

    /** With its own backbone, in the precision that it was trained with. */
    static Inference load(Path model) throws IOException {
        Optional<InferenceProvider> other = InferenceProvider.of(model);
        if (other.isPresent()) {
            return other.get().load(model);
        }
        requireEngine(model);
        return TorchInference.load(model, null);
    }

    /**
     * The same.
     *
     * @param threads of an engine that another module provides; LibTorch takes those of the thread that calls it
     */
    static Inference load(Path model, int threads) throws IOException {
        Optional<InferenceProvider> other = InferenceProvider.of(model);
        return other.isPresent() ? other.get().load(model, threads) : load(model);
    }

    static Inference load(Path model, Precision precision) throws IOException {
        Optional<InferenceProvider> other = InferenceProvider.of(model);
        if (other.isEmpty()) {
            requireEngine(model);
            return TorchInference.load(model, precision);
        }
        Inference inference = other.get().load(model);
        if (inference.precision() != precision) {
            inference.close();
            throw new ModelException(model + " computes in "
                    + inference.precision().name().toLowerCase(Locale.ROOT) + ", not in "
                    + precision.name().toLowerCase(Locale.ROOT)
                    + "; leave out the precision, or give the model.gramian that it was exported from");
        }
        return inference;
    }

    /** An installation for ONNX files alone has no LibTorch. */
    private static void requireEngine(Path model) throws ModelException {
        if (InferenceLoading.class.getResource("/org/bytedeco/pytorch/Tensor.class") == null) {
            throw new ModelException(
                    model + " needs LibTorch (org.bytedeco's pytorch and openblas), which is not on the"
                            + " class path; add it, or give an ONNX file made by: gramian export");
        }
    }

    /** For a given backbone, which belongs to the result. */
    static Inference load(Path model, Backbone backbone) throws IOException {
        if (InferenceProvider.of(model).isPresent()) {
            throw new ModelException(model + " holds its backbone; load it without another");
        }
        return TorchInference.withBackbone(model, backbone);
    }
}
