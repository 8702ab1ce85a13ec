package io.github.gramian.cli.common;

import io.github.gramian.io.internal.GramianVersion;
import java.util.Optional;

/** The engines that can compute, as far as they are on the class path. Nothing native is loaded to find out. */
public enum InstalledEngine {
    LIBTORCH("LibTorch", "org.bytedeco.pytorch.Tensor"),
    ONNX_RUNTIME("ONNX Runtime", "ai.onnxruntime.OrtEnvironment");

    private final String label;
    private final String type;

    InstalledEngine(String label, String type) {
        this.label = label;
        this.type = type;
    }

    public boolean present() {
        return version(type).isPresent();
    }

    /** Name and version, for people. */
    public String line() {
        return version(type).map(version -> label + " " + version).orElse(label + ": not installed");
    }

    /** From the manifest of the jar that a class of it comes from; the class is found and not initialised. */
    static Optional<String> version(String type) {
        try {
            Class<?> found = Class.forName(type, false, InstalledEngine.class.getClassLoader());
            String version = found.getPackage().getImplementationVersion();
            return Optional.of(version == null ? GramianVersion.UNKNOWN : version);
        } catch (ClassNotFoundException | LinkageError e) {
            return Optional.empty();
        }
    }
}
