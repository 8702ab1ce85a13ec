package io.github.gramian.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.io.AtomicFile;
import io.github.gramian.model.config.ConfigJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Epochs and fits as lines of JSON: the history of a run for reports and other programs. */
public final class EventLog implements TrainingListener {

    private final @Nullable Path file;
    private int lines;

    private EventLog(@Nullable Path file, int lines) {
        this.file = file;
        this.lines = lines;
    }

    /** Continues after so many lines; what a killed process wrote after its last checkpoint is cut off. */
    public static EventLog open(Path file, int lines) throws IOException {
        List<String> all = Files.exists(file) ? Files.readAllLines(file) : List.of();
        List<String> kept = all.subList(0, Math.min(lines, all.size()));
        StringBuilder text = new StringBuilder();
        kept.forEach(line -> text.append(line).append('\n'));
        AtomicFile.writeText(file, text.toString());
        return new EventLog(file, kept.size());
    }

    /** For a process that writes nothing: it keeps no lines. */
    public static EventLog none() {
        return new EventLog(null, 0);
    }

    /** Lines so far. */
    public int lines() {
        return lines;
    }

    @Override
    public void onEvent(TrainingEvent event) {
        if (file == null) {
            return;
        }
        if (event instanceof TrainingEvent.Epoch || event instanceof TrainingEvent.Ridge) {
            ObjectNode tree = (ObjectNode) ConfigJson.toTree(event);
            String kind = event.getClass().getSimpleName().toLowerCase(Locale.ROOT);
            ObjectNode line = tree.objectNode().put("event", kind).setAll(tree);
            try {
                Files.writeString(file, line + "\n", StandardOpenOption.APPEND);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
            lines++;
        }
    }
}
