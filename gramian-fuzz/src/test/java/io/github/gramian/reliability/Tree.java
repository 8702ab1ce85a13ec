package io.github.gramian.reliability;

import io.github.gramian.io.internal.Sha256;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Folders with everything in them. */
final class Tree {

    /** Times in a file, which differ between trainings, and the checksums over them. */
    private static final String TIMES =
            "\"(imagesPerSecond|[a-zA-Z]*[sS]econds|peakBytes|created|started|crc32c)\":(\"[^\"]*\"|\\{[^}]*}|[^,}]*)";

    private Tree() {}

    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }

    static void delete(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Files that only save time: if they cannot be written, work is done again, and nothing else is different. */
    static boolean isOptional(String file) {
        return file.endsWith("index.bin") || file.contains("components-");
    }

    /** The training of a result of a grid, which is deleted once the result is there. */
    static boolean isWork(String file) {
        return file.startsWith("results/runs/");
    }

    /** Makes one folder the copy of another. */
    static void restore(Path from, Path to) throws IOException {
        delete(to);
        copy(from, to);
    }

    /** The hash of every file but locks, by its name. */
    static SortedMap<String, String> hashes(Path tree) throws IOException {
        SortedMap<String, String> hashes = new TreeMap<>();
        if (!Files.exists(tree)) {
            return hashes;
        }
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = tree.relativize(file).toString();
                if (!name.endsWith("lock")) {
                    hashes.put(name, hash(file));
                }
            }
        }
        return hashes;
    }

    private static String hash(Path file) throws IOException {
        if (file.endsWith("model.gramian")) {
            return weights(file);
        }
        byte[] bytes = Files.readAllBytes(file);
        return file.toString().matches(".*\\.jsonl?")
                ? Sha256.of(new String(bytes, StandardCharsets.UTF_8).replaceAll(TIMES, ""))
                : Sha256.of(bytes);
    }

    /** A model records when it was made; what it computes is in its weights. */
    private static String weights(Path file) throws IOException {
        try (StoredModel model = StoredModel.open(file)) {
            model.verify();
            return model.weightsHash();
        } catch (ModelException | SafetensorsException e) {
            return "damaged";
        }
    }
}
