package io.github.gramian.train.stage.internal;

import io.github.gramian.distributed.internal.ProcessGroup;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.layer.Parameter;
import io.github.gramian.run.TrainingException;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * The checkpoints of a stage. The first process has the files; the others get their bytes from it, so that machines need no
 * folder in common. When one is written, all processes must have the same weights.
 */
final class StageFiles {

    private final Path last;
    private final Path best;
    private final ProcessGroup group;
    private final Map<String, String> inputs;

    /** @param inputs hashes of the inputs of the run, by name */
    StageFiles(RunFolder folder, Stage stage, ProcessGroup group, Map<String, String> inputs) {
        this.last = stage.onAll() ? folder.lastOnAll(stage.number()) : folder.last(stage.number());
        this.best = folder.best(stage.number());
        this.group = group;
        this.inputs = inputs;
    }

    /** Whether there is a checkpoint to continue from. */
    boolean begun() {
        return group.asFirst(group.distributed().leads() && Files.exists(last));
    }

    /** Restores parameters and the optimizer's state from the newest checkpoint, and returns the position. */
    StageState restore(List<Parameter> parameters, AveragedDescent descent) throws IOException {
        return reading(last, file -> Checkpoint.read(file, parameters, descent, inputs));
    }

    /** Restores the best weights. */
    void restoreBest(List<Parameter> parameters) throws IOException {
        reading(best, file -> Checkpoint.readParameters(file, parameters, inputs));
    }

    /** Gives all processes the weights of the first. */
    void share(List<Parameter> parameters) {
        group.broadcast(parameters.stream().map(Parameter::value).toList());
    }

    /** Writes a checkpoint. */
    void save(List<Parameter> parameters, AveragedDescent descent, StageState state) throws IOException {
        if (!group.distributed().isSingleProcess()) {
            requireEqual(parameters);
        }
        if (group.distributed().leads()) {
            Checkpoint.write(last, parameters, descent.state(), state, inputs);
        }
    }

    /** Writes the best weights so far. */
    void saveBest(List<Parameter> parameters, StageState state) throws IOException {
        if (group.distributed().leads()) {
            Checkpoint.write(best, parameters, Map.of(), state, inputs);
        }
    }

    private void requireEqual(List<Parameter> parameters) throws IOException {
        group.firstDifferent((double) checksum(parameters)).ifPresent(rank -> {
            throw new TrainingException("the weights of process " + rank + " differ from those of process 0; give"
                    + " all processes the same version, BLAS, number of threads and kind of CPU, then start them"
                    + " again: the training continues from its last checkpoint");
        });
    }

    /** 32 bits, quick to compute: they detect machines that round differently, not tampering. */
    static long checksum(List<Parameter> parameters) throws IOException {
        Checksum sum = new Checksum();
        for (Parameter parameter : parameters) {
            TensorBytes.write(parameter.value(), sum);
        }
        return sum.value();
    }

    @FunctionalInterface
    private interface Reader<T> {
        T read(Path file) throws IOException;
    }

    private <T> T reading(Path file, Reader<T> reader) throws IOException {
        if (group.distributed().leads()) {
            send(file);
            return reader.read(file);
        }
        Path copy = Files.createTempFile("gramian-checkpoint", ".safetensors");
        try {
            receive(copy);
            return reader.read(copy);
        } finally {
            Files.delete(copy);
        }
    }

    private void send(Path file) throws IOException {
        if (group.distributed().isSingleProcess()) {
            return;
        }
        try (Scope scope = Scope.open();
                FileChannel channel = FileChannel.open(file)) {
            group.sum((double) channel.size());
            group.broadcast(List.of(TensorBytes.map(channel, 0, TensorType.U8, channel.size())));
        }
    }

    private void receive(Path copy) throws IOException {
        try (Scope scope = Scope.open();
                FileChannel channel = FileChannel.open(copy, StandardOpenOption.WRITE)) {
            Tensor bytes = TensorBytes.allocate(TensorType.U8, (long) group.sum(0)[0]);
            group.broadcast(List.of(bytes));
            TensorBytes.write(bytes, channel);
        }
    }
}
