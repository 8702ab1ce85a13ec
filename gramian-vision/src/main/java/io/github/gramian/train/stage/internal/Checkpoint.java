package io.github.gramian.train.stage.internal;

import io.github.gramian.layer.Parameter;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.run.TrainingException;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bytedeco.pytorch.Tensor;

/**
 * Everything that a stage needs to continue: parameters, statistics, the optimizer's state, and the position. If the process is
 * killed, the file is the old one or the complete new one. A damaged file is refused.
 */
public final class Checkpoint {

    private static final String FORMAT = "gramian-checkpoint/1";
    private static final String PARAMETER = "parameter/";
    private static final String OPTIMIZER = "optimizer/";
    private static final String INPUT = "input/";

    private Checkpoint() {}

    /** Writes parameters, and for an unfinished stage its optimizer's state. */
    static void write(
            Path file,
            List<Parameter> parameters,
            Map<String, Tensor> optimizer,
            StageState state,
            Map<String, String> inputs)
            throws IOException {
        Map<String, Tensor> tensors = new TreeMap<>();
        parameters.forEach(parameter -> tensors.put(PARAMETER + parameter.name(), parameter.value()));
        optimizer.forEach((name, tensor) -> tensors.put(OPTIMIZER + name, tensor));
        Map<String, String> metadata = new TreeMap<>();
        metadata.put("format", FORMAT);
        metadata.put("state", ConfigJson.toJson(state));
        inputs.forEach((name, hash) -> metadata.put(INPUT + name, hash));
        SafetensorsWriter.writeSealed(file, tensors, metadata);
    }

    /** Restores parameters and returns the position. */
    static StageState readParameters(Path file, List<Parameter> parameters, Map<String, String> inputs)
            throws IOException {
        try (SafetensorsFile open = open(file)) {
            restore(file, open, parameters, inputs);
            return state(open);
        }
    }

    private static void restore(Path file, SafetensorsFile open, List<Parameter> parameters, Map<String, String> inputs)
            throws IOException {
        requireInputs(file, open, inputs);
        for (Parameter parameter : parameters) {
            try (Scope scope = Scope.open()) {
                Tensor saved = open.tensor(PARAMETER + parameter.name());
                if (!saved.is_same_size(parameter.value())) {
                    throw new TrainingException(file + " belongs to another network ('" + parameter.name()
                            + "' differs in shape); start a new run");
                }
                parameter.assign(Placement.of(parameter.value()).place(saved));
            }
        }
    }

    /** Restores parameters and the optimizer's state, and returns the position. */
    static StageState read(Path file, List<Parameter> parameters, AveragedDescent descent, Map<String, String> inputs)
            throws IOException {
        try (Scope scope = Scope.open();
                SafetensorsFile open = open(file)) {
            restore(file, open, parameters, inputs);
            Map<String, Tensor> saved = new HashMap<>();
            for (var entry : open.entries()) {
                if (entry.name().startsWith(OPTIMIZER)) {
                    saved.put(entry.name().substring(OPTIMIZER.length()), open.tensor(entry.name()));
                }
            }
            descent.restore(saved);
            return state(open);
        }
    }

    public static StageState position(Path file) throws IOException {
        try (SafetensorsFile open = open(file)) {
            return state(open);
        }
    }

    private static void requireInputs(Path file, SafetensorsFile open, Map<String, String> inputs) {
        inputs.forEach((name, hash) -> {
            if (!hash.equals(open.metadata().get(INPUT + name))) {
                throw new TrainingException(file + " was made with other inputs: the " + name
                        + " have changed since; put them back as they were, or start a new run with another --out");
            }
        });
    }

    private static StageState state(SafetensorsFile open) {
        return ConfigJson.fromJson(open.metadata().getOrDefault("state", ""), StageState.class);
    }

    private static SafetensorsFile open(Path file) throws IOException {
        try {
            SafetensorsFile open = SafetensorsFile.open(file);
            try {
                if (!FORMAT.equals(open.metadata().get("format"))) {
                    throw new TrainingException(file + " is not a checkpoint; start a new run");
                }
                open.requireIntact();
                return open;
            } catch (IOException | RuntimeException failure) {
                open.close();
                throw failure;
            }
        } catch (SafetensorsException e) {
            throw new SafetensorsException(
                    e.getMessage() + "; put back a copy of it, or delete " + file.getParent()
                            + " and resume: the training starts from its beginning",
                    e);
        }
    }
}
