package io.github.gramian.train;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.run.TrainingException;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.SealedJson;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A selection as a run directory stores it, so that a resumed training does not select again.
 *
 * @param selection what was selected
 * @param events lines of the event log at that time
 * @param inputs hashes of the inputs of the run, by name
 */
record SelectionFile(@JsonUnwrapped ModelSelection selection, int events, Map<String, String> inputs) {

    SelectionFile {
        inputs = Collections.unmodifiableMap(new TreeMap<>(inputs));
    }

    void write(RunFolder directory) throws IOException {
        SealedJson.write(directory.choice(), ConfigJson.toTree(this));
    }

    /** The selection of an earlier training in this directory. */
    static Optional<SelectionFile> read(RunFolder directory) throws IOException {
        if (!Files.exists(directory.choice())) {
            return Optional.empty();
        }
        ObjectNode tree = SealedJson.read(directory.choice());
        tree.remove("crc32c");
        return Optional.of(ConfigJson.fromTree(tree, SelectionFile.class));
    }

    /** Refuses a selection that was made with other inputs. */
    void requireInputs(RunFolder directory, Map<String, String> now) {
        if (!inputs.equals(now)) {
            throw new TrainingException(directory.choice()
                    + " was made with other inputs; put them back as they were, or"
                    + " start a new run with another --out");
        }
    }
}
