package io.github.gramian.model;

import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.tensor.Placement;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * A saved model: one safetensors file with the weights of backbone and network, and in its metadata everything else that
 * prediction needs. Any reader of safetensors can open it; opening one executes nothing. To predict, use {@link Predictor}.
 */
public final class ModelFile implements AutoCloseable {

    private final StoredModel stored;

    private ModelFile(StoredModel stored) {
        this.stored = stored;
    }

    /** Opens a model and reads its description. */
    public static ModelFile open(Path path) throws IOException {
        return new ModelFile(StoredModel.open(path));
    }

    /** The description as it stands in the file, strings by name ({@code docs/model-format.md}). */
    public Map<String, String> metadata() {
        return stored.metadata();
    }

    /** SHA-256 of the weights: equal for equal trainings. */
    public String weightsHash() {
        return stored.weightsHash();
    }

    /** Reads all weights and compares them with the hash. */
    public void verify() throws IOException {
        stored.verify();
    }

    /** Builds everything after the backbone. */
    public Network network(Placement placement) throws IOException {
        return stored.network(placement);
    }

    /**
     * Builds the backbone.
     *
     * @throws ModelException if the file does not hold its backbone; the message names the one it needs
     */
    public ConvolutionalBackbone backbone(Placement placement) throws IOException {
        return stored.backbone(placement);
    }

    @Override
    public void close() throws IOException {
        stored.close();
    }
}
