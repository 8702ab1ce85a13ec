package io.github.gramian.train;

import io.github.gramian.linalg.PrincipalComponents;
import io.github.gramian.tensor.Engine;
import io.github.gramian.tensor.Sha256;
import io.github.gramian.tensor.safetensors.SafetensorsFile;
import io.github.gramian.tensor.safetensors.SafetensorsWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.bytedeco.pytorch.Tensor;

/**
 * Principal components of training features, kept beside the features: trainings on the same images start with them, and
 * finding them costs more than a small training. A file's name is the sum of everything its numbers depend on, the engine
 * and its threads included, so that a kept basis is the one that would be found again, bit for bit.
 *
 * @param folder of the features
 * @param features which features of which images, in which order
 */
public record KeptComponents(Path folder, String features) {

    private static final String FORMAT = "gramian-components/1\n";

    /** The k leading components of vectors of so many channels, from the file or from the one who finds them. */
    PrincipalComponents.Basis leading(long channels, long k, Supplier<PrincipalComponents.Basis> finder) {
        String key = Sha256.of(FORMAT + Engine.describe().line() + "\n" + k + "\n" + features);
        Path file = folder.resolve("components-" + key.substring(0, 32) + ".safetensors");
        try {
            if (Files.exists(file)) {
                return read(file, channels, k);
            }
            PrincipalComponents.Basis basis = finder.get();
            Map<String, Tensor> tensors = new TreeMap<>();
            tensors.put("mean", basis.mean());
            tensors.put("components", basis.components().contiguous());
            tensors.put("variances", basis.variances());
            SafetensorsWriter.write(file, tensors, new TreeMap<>());
            return basis;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static PrincipalComponents.Basis read(Path file, long channels, long k) throws IOException {
        try (SafetensorsFile kept = SafetensorsFile.open(file)) {
            return new PrincipalComponents.Basis(
                    checked(file, kept.tensor("mean"), channels),
                    checked(file, kept.tensor("components"), channels, k),
                    checked(file, kept.tensor("variances"), k));
        }
    }

    private static Tensor checked(Path file, Tensor found, long... shape) throws IOException {
        if (!Arrays.equals(found.sizes().vec().get(), shape)) {
            throw new IOException(file + " does not hold what its name says; delete it");
        }
        return found;
    }
}
