package io.github.gramian.train.stage.internal;

import io.github.gramian.layer.Parameter;
import io.github.gramian.run.internal.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The checkpoints of a stage. The leader has the files, and the other processes read them through it. When one is written, all
 * processes must have the same weights.
 */
final class StageFiles {

    private final Path last;
    private final Path best;
    private final DistributedTraining processes;
    private final Map<String, String> inputs;

    /** @param inputs hashes of the inputs of the run, by name */
    StageFiles(RunFolder folder, Stage stage, DistributedTraining processes, Map<String, String> inputs) {
        this.last = stage.onAll() ? folder.lastOnAll(stage.number()) : folder.last(stage.number());
        this.best = folder.best(stage.number());
        this.processes = processes;
        this.inputs = inputs;
    }

    boolean isStarted() {
        return processes.fromLeader(processes.leads() && Files.exists(last));
    }

    /** Restores parameters and the optimizer's state from the newest checkpoint, and returns the position. */
    StageState restore(List<Parameter> parameters, AveragedDescent descent) throws IOException {
        return processes.readFromLeader(last, file -> Checkpoint.read(file, parameters, descent, inputs));
    }

    void restoreBest(List<Parameter> parameters) throws IOException {
        processes.readFromLeader(best, file -> Checkpoint.readParameters(file, parameters, inputs));
    }

    void save(List<Parameter> parameters, AveragedDescent descent, StageState state) throws IOException {
        processes.requireEqualWeights(parameters);
        if (processes.leads()) {
            Checkpoint.write(last, parameters, descent.state(), state, inputs);
        }
    }

    /** Writes the best weights so far. */
    void saveBest(List<Parameter> parameters, StageState state) throws IOException {
        if (processes.leads()) {
            Checkpoint.write(best, parameters, Map.of(), state, inputs);
        }
    }
}
