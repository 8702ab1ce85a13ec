package io.github.gramian.train;

import io.github.gramian.layer.Parameter;
import io.github.gramian.model.ConfigJson;
import io.github.gramian.optim.Optimizer;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.safetensors.SafetensorsFile;
import io.github.gramian.tensor.safetensors.SafetensorsWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bytedeco.pytorch.Tensor;

/**
 * Everything that a stage needs to go on: parameters, statistics, the optimizer's state, and the position. A file is the
 * old one or the complete new one, whatever kills the process.
 */
final class Checkpoint {

    private static final String FORMAT = "gramian-checkpoint/2";
    private static final String PARAMETER = "parameter/";
    private static final String OPTIMIZER = "optimizer/";

    private Checkpoint() {}

    /** Writes parameters, and for a stage that goes on its optimizer's state. */
    static void write(Path file, List<Parameter> parameters, Map<String, Tensor> optimizer, TrainerState state)
            throws IOException {
        Map<String, Tensor> tensors = new TreeMap<>();
        parameters.forEach(parameter -> tensors.put(PARAMETER + parameter.name(), parameter.value()));
        optimizer.forEach((name, tensor) -> tensors.put(OPTIMIZER + name, tensor));
        SafetensorsWriter.write(file, tensors, Map.of("format", FORMAT, "state", ConfigJson.toText(state)));
    }

    /** Restores parameters and returns the position. */
    static TrainerState readParameters(Path file, List<Parameter> parameters) throws IOException {
        try (SafetensorsFile open = SafetensorsFile.open(file)) {
            TrainerState state = state(file, open);
            for (Parameter parameter : parameters) {
                try (Scope scope = Scope.open()) {
                    Tensor saved = open.tensor(PARAMETER + parameter.name());
                    if (!saved.is_same_size(parameter.value())) {
                        throw new TrainingException(file + " belongs to another network ('" + parameter.name()
                                + "' has another shape); start a new run");
                    }
                    parameter.assign(Placement.of(parameter.value()).place(saved));
                }
            }
            return state;
        }
    }

    /** Restores parameters and the optimizer's state, and returns the position. */
    static TrainerState read(Path file, List<Parameter> parameters, Optimizer optimizer) throws IOException {
        try (Scope scope = Scope.open();
                SafetensorsFile open = SafetensorsFile.open(file)) {
            Map<String, Tensor> saved = new HashMap<>();
            for (var entry : open.entries()) {
                if (entry.name().startsWith(OPTIMIZER)) {
                    saved.put(entry.name().substring(OPTIMIZER.length()), open.tensor(entry.name()));
                }
            }
            optimizer.restore(saved);
        }
        return readParameters(file, parameters);
    }

    /** The position alone. */
    static TrainerState position(Path file) throws IOException {
        try (SafetensorsFile open = SafetensorsFile.open(file)) {
            return state(file, open);
        }
    }

    private static TrainerState state(Path file, SafetensorsFile open) {
        if (!FORMAT.equals(open.metadata().get("format"))) {
            throw new TrainingException(file + " is no checkpoint of this version; start a new run");
        }
        return ConfigJson.fromText(open.metadata().getOrDefault("state", ""), TrainerState.class);
    }
}
