package io.github.gramian.feature.internal;

import io.github.gramian.io.internal.Sha256;
import io.github.gramian.linalg.internal.PrincipalComponents;
import io.github.gramian.tensor.internal.Engine;
import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.bytedeco.pytorch.Tensor;

/**
 * A cache of the principal components of training features, next to the features: trainings on the same images start with
 * them, and computing them costs more than a small training. A file's name is the hash of everything its values depend on,
 * the features, the engine and its threads included, so that a cached basis is the one that would be computed again, bit
 * for bit. The file repeats that hash and has a checksum; a damaged one is computed again.
 *
 * @param folder of the features
 * @param features which features of which images, in which order
 * @param notes receives a message when a file cannot be used or written
 */
public record PcaCache(Path folder, String features, Consumer<String> notes) {

    private static final String FORMAT = "gramian-components/1\n";
    private static final String KEY = "key";

    /** The k leading components of vectors with this number of channels, from the file or computed. */
    public PrincipalComponents.Basis leading(long channels, long k, Supplier<PrincipalComponents.Basis> finder) {
        String key = Sha256.of(FORMAT + Engine.describe().line() + "\n" + channels + "\n" + k + "\n" + features);
        Path file = folder.resolve("components-" + key.substring(0, 32) + ".safetensors");
        try {
            if (Files.exists(file)) {
                return read(file, key);
            }
        } catch (SafetensorsException e) {
            notes.accept(e.getMessage() + "; it is computed again");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        PrincipalComponents.Basis basis = finder.get();
        keep(file, key, basis);
        return basis;
    }

    private void keep(Path file, String key, PrincipalComponents.Basis basis) {
        Map<String, Tensor> tensors = new TreeMap<>();
        tensors.put("mean", basis.mean());
        tensors.put("components", basis.components().contiguous());
        tensors.put("variances", basis.variances());
        try {
            SafetensorsWriter.writeSealed(file, tensors, Map.of(KEY, key));
        } catch (IOException e) {
            // They are in memory, and the next training can compute them again.
            notes.accept("the principal components cannot be cached: " + e.getMessage());
        }
    }

    private static PrincipalComponents.Basis read(Path file, String key) throws IOException {
        try (SafetensorsFile stored = SafetensorsFile.open(file)) {
            stored.requireIntact();
            if (!key.equals(stored.metadata().get(KEY))) {
                throw new SafetensorsException(file + ": its content does not match its name");
            }
            return new PrincipalComponents.Basis(
                    stored.tensor("mean"), stored.tensor("components"), stored.tensor("variances"));
        }
    }
}
