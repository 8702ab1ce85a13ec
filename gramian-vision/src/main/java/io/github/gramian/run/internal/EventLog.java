package io.github.gramian.run.internal;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.json.internal.Json;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Epochs and fits as lines of JSON, each with its checksum: the history of a run for reports and other programs. */
public final class EventLog implements TrainingListener {

    /** The events that are stored, by their names in the file. */
    private static final Map<String, Class<? extends TrainingEvent>> KINDS = Map.of(
            "epoch", TrainingEvent.Epoch.class,
            "ridge", TrainingEvent.Ridge.class,
            "fine-tuning", TrainingEvent.FineTuning.class);

    private static final JsonMapper JSON = mapper();

    private final @Nullable Path file;
    private int lines;

    private EventLog(@Nullable Path file, int lines) {
        this.file = file;
        this.lines = lines;
    }

    private static JsonMapper mapper() {
        JsonMapper.Builder builder = Json.codec()
                .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
                .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);
        for (Class<?> container : List.of(Map.class, List.class)) {
            builder.withConfigOverride(
                    container, override -> override.setSetterInfo(JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY)));
        }
        return builder.build();
    }

    /** Continues after the given number of lines; lines that a killed process wrote after its last checkpoint are cut off. */
    public static EventLog open(Path file, int lines) throws IOException {
        byte[] all = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
        int complete = 0;
        int end = 0;
        for (int i = 0; i < all.length && complete < lines; i++) {
            if (all[i] == '\n') {
                end = i + 1;
                complete++;
            }
        }
        AtomicFile.writeBytes(file, ByteBuffer.wrap(all, 0, end));
        return new EventLog(file, complete);
    }

    /** For a process that stores nothing. */
    public static EventLog none() {
        return new EventLog(null, 0);
    }

    public int lines() {
        return lines;
    }

    /**
     * Reads one line. Fields that a line lacks are null or 0, so that the lines of other versions can be read.
     *
     * @return the event; empty for one of a kind that is not stored
     * @throws IOException if it is damaged, or no event at all
     */
    public static Optional<TrainingEvent> parse(byte[] line) throws IOException {
        if (SealedJson.isDamaged(new String(line, StandardCharsets.UTF_8))) {
            throw new IOException("a line of events.jsonl is damaged: its checksum does not match");
        }
        if (!(JSON.readTree(line) instanceof ObjectNode tree)) {
            throw new IOException("a line of events.jsonl is not a JSON object");
        }
        Class<? extends TrainingEvent> kind = KINDS.get(tree.path("event").asText());
        if (kind == null) {
            return Optional.empty();
        }
        if (kind == TrainingEvent.Epoch.class && !tree.hasNonNull("health")) {
            tree.putObject("health");
        }
        return Optional.of(JSON.treeToValue(tree, kind));
    }

    private static String line(String kind, TrainingEvent event) {
        ObjectNode line = JSON.createObjectNode().put("event", kind);
        return SealedJson.seal(line.setAll((ObjectNode) JSON.valueToTree(event)).toString()) + "\n";
    }

    @Override
    public void onEvent(TrainingEvent event) {
        Optional<String> kind = KINDS.entrySet().stream()
                .filter(one -> one.getValue().isInstance(event))
                .map(Map.Entry::getKey)
                .findFirst();
        if (file != null && kind.isPresent()) {
            try {
                // On the disk before the checkpoint that counts it.
                AtomicFile.append(file, line(kind.get(), event));
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
            lines++;
        }
    }
}
