package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.engine.internal.FrozenEngine;
import io.github.gramian.backbone.engine.internal.FrozenRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** Opens {@link FrozenEngine}s; found through {@link ServiceLoader}. The module gramian-onnx provides one. */
public interface FrozenEngineProvider {

    /** Name and version of the engine, for messages and evaluation protocols. */
    String name();

    /**
     * Opens an engine for a network.
     *
     * @param steps what the network computes, in order; the weights remain valid while the engine is open
     * @return empty if the engine does not support one of the layers, or if the network is too large for it
     * @throws IOException if the engine cannot be started
     */
    Optional<FrozenEngine> open(List<BackboneStep> steps, FrozenRequest request) throws IOException;

    /** The providers on the class path. */
    static List<FrozenEngineProvider> installed() {
        return ServiceLoader.load(FrozenEngineProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }
}
