package io.github.gramian.spark.job;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.json.internal.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Small JSON files of a job, written once and atomically: under another name, then renamed. */
public final class RecordFiles {

    private static final ObjectMapper JSON = Json.codec()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();
    private static final int MAX_LENGTH = 1 << 30;

    private final FileSystem files;

    public RecordFiles(FileSystem files) {
        this.files = files;
    }

    /** The content of a file; empty if there is none. */
    public <T> Optional<T> read(Path file, Class<T> type) throws IOException {
        if (!files.exists(file)) {
            return Optional.empty();
        }
        try (InputStream in = files.open(file)) {
            return Optional.of(JSON.readValue(in.readNBytes(MAX_LENGTH), type));
        } catch (JacksonException e) {
            throw new JobException(file + " is damaged (" + e.getOriginalMessage()
                    + "); restore it from a backup, or start again in another directory");
        }
    }

    /**
     * Writes a file.
     *
     * @return false if it is there already
     */
    public boolean write(Path file, Object content) throws IOException {
        Path temporary = new Path(file.getParent(), "." + file.getName() + "." + UUID.randomUUID());
        try {
            try (OutputStream out = files.create(temporary, false)) {
                out.write(Json.indented(content).getBytes(StandardCharsets.UTF_8));
            }
            return !files.exists(file) && files.rename(temporary, file);
        } finally {
            files.delete(temporary, false);
        }
    }
}
