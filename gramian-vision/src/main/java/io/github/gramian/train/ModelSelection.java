package io.github.gramian.train;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.distributed.internal.ProcessGroup;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingException;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.SealedJson;
import io.github.gramian.train.ridge.internal.ClassifierFit;
import io.github.gramian.train.stage.internal.Stage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What validation images have chosen: all that the last training needs, and all that is told of it.
 *
 * @param stage1 epochs of stage 1 to train
 * @param stage2 those of stage 2
 * @param tuned whether the backbone learns in the end
 * @param classifier the classifier that stays, with its validation accuracy
 * @param fineTuning how the fine-tuned model compares with the frozen one; null where they were not compared
 * @param events lines of the event log when it was chosen
 * @param inputs hashes of the inputs of the run, by name
 */
record ModelSelection(
        Stage.Epochs stage1,
        Stage.Epochs stage2,
        boolean tuned,
        ClassifierFit.Applied classifier,
        TrainingEvent.@Nullable FineTuning fineTuning,
        int events,
        Map<String, String> inputs) {

    ModelSelection {
        inputs = Collections.unmodifiableMap(new TreeMap<>(inputs));
    }

    /** Writes it, so that a training that is resumed does not choose again. */
    void keep(RunFolder folder) throws IOException {
        SealedJson.write(folder.choice(), ConfigJson.toTree(this));
    }

    /** What a training in this folder has chosen before. */
    static Optional<ModelSelection> kept(RunFolder folder) throws IOException {
        if (!Files.exists(folder.choice())) {
            return Optional.empty();
        }
        ObjectNode tree = SealedJson.read(folder.choice());
        tree.remove("crc32c");
        return Optional.of(ConfigJson.fromTree(tree, ModelSelection.class));
    }

    /** Refuses a choice that was made with other inputs. */
    void requireInputs(RunFolder folder, Map<String, String> now) {
        if (!inputs.equals(now)) {
            throw new TrainingException(folder.choice() + " was made with other inputs; put them back as they were, or"
                    + " start a new run with another --out");
        }
    }

    /** The choice of the first process in all of them; what the others pass does not matter. */
    static Optional<ModelSelection> asFirst(ProcessGroup group, Optional<ModelSelection> own) {
        if (group.distributed().isSingleProcess()) {
            return own;
        }
        byte[] text = own.map(ConfigJson::toText).orElse("").getBytes(StandardCharsets.UTF_8);
        byte[] first = group.broadcast(text);
        return first.length == 0
                ? Optional.empty()
                : Optional.of(ConfigJson.fromText(new String(first, StandardCharsets.UTF_8), ModelSelection.class));
    }
}
