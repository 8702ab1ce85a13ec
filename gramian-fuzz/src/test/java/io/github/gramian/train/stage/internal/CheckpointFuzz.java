package io.github.gramian.train.stage.internal;

import io.github.gramian.fuzz.FuzzTarget;
import io.github.gramian.fuzz.Scratch;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.run.TrainingException;
import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFuzz;
import java.util.List;
import java.util.Objects;

/** The position in a checkpoint with a valid checksum. */
public final class CheckpointFuzz {

    private CheckpointFuzz() {}

    public static List<FuzzTarget> targets() {
        Scratch scratch = new Scratch();
        return List.of(new FuzzTarget(
                "checkpoint",
                CheckpointFuzz::seeds,
                bytes -> Objects.requireNonNull(
                        Checkpoint.position(scratch.file("last.safetensors", SafetensorsFuzz.sealed(bytes)))),
                List.of(SafetensorsException.class, TrainingException.class, IllegalArgumentException.class)));
    }

    private static List<byte[]> seeds() {
        String state = ConfigJson.toJson(StageState.start(1, 3, 0)).replace("\"", "\\\"");
        return List.of(SafetensorsFuzz.file(
                "{'__metadata__':{'crc32c':'00000000','format':'gramian-checkpoint/1','input/recipe':'a','state':'"
                        + state + "'},'parameter/w':{'dtype':'F32','shape':[1],'data_offsets':[0,4]}}",
                4));
    }
}
