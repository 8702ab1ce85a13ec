package io.github.gramian.similar.vector.internal;

import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter;
import io.github.gramian.tensor.safetensors.internal.TensorEntry;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Descriptors of the sample that the components of a new index are fitted to. They are stored as they are computed, some to a file, so that
 * a build that was killed before the fit continues.
 */
public final class SampleFiles {

    private static final String MODEL = "model";

    private final Path folder;
    private final String modelSha256;
    private final int perFile;
    private final Map<String, SafetensorsWriter.Floats> pending = new TreeMap<>();

    /** @param perFile number of descriptors in a file, the most that a kill can lose */
    public SampleFiles(Path folder, String modelSha256, int perFile) {
        this.folder = folder;
        this.modelSha256 = modelSha256;
        this.perFile = perFile;
    }

    /** Adds the descriptor of a photograph with this content. */
    public void add(String sha256, float[] descriptor) throws IOException {
        pending.put(sha256, new SafetensorsWriter.Floats(descriptor, List.of((long) descriptor.length)));
        if (pending.size() >= perFile) {
            Path file = folder.resolve(sha256 + ".safetensors");
            SafetensorsWriter.writeSealedFloats(file, pending, Map.of(MODEL, modelSha256));
            pending.clear();
        }
    }

    /** The stored descriptors of this model by content. Files that are damaged or of another model are ignored. */
    public Map<String, float[]> read() throws IOException {
        Map<String, float[]> descriptors = new HashMap<>();
        if (!Files.isDirectory(folder)) {
            return descriptors;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.safetensors")) {
            for (Path path : files) {
                try (SafetensorsFile file = SafetensorsFile.open(path)) {
                    if (modelSha256.equals(file.metadata().get(MODEL)) && file.isIntact()) {
                        for (TensorEntry entry : file.entries()) {
                            descriptors.put(entry.name(), ReductionFile.floats(file, entry.name()));
                        }
                    }
                } catch (SafetensorsException e) {
                    // Its photographs are described again.
                }
            }
        }
        return descriptors;
    }
}
