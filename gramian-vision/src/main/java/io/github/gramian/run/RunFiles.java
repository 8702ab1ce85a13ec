package io.github.gramian.run;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.eval.Prediction;
import io.github.gramian.io.AtomicFile;
import io.github.gramian.io.Checksum;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes what is known of a finished run; each file complete or not at all. */
public final class RunFiles {

    private static final JsonMapper JSON = new JsonMapper();

    private final RunFolder folder;

    public RunFiles(RunFolder folder) {
        this.folder = folder;
    }

    /** Facts behind those of a map. */
    public static Map<String, @Nullable Object> merged(
            Map<String, @Nullable Object> first, Map<String, ? extends @Nullable Object> then) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>(first);
        all.putAll(then);
        return all;
    }

    /** A value as JSON. */
    public void writeJson(Path file, Object value) throws IOException {
        AtomicFile.writeText(file, JSON.writeValueAsString(value) + "\n");
    }

    /** What the model says of each image; returns the checksum of the file. */
    public String writePredictions(List<Prediction> predictions) throws IOException {
        StringBuilder text = new StringBuilder();
        for (Prediction prediction : predictions) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("id", prediction.image());
            line.put("truth", prediction.truth());
            line.put("predicted", prediction.predicted());
            line.put("confidence", prediction.confidence());
            line.put("probabilities", prediction.probabilities());
            text.append(JSON.writeValueAsString(line)).append('\n');
        }
        AtomicFile.writeText(folder.predictions(), text.toString());
        return Checksum.of(text.toString());
    }
}
