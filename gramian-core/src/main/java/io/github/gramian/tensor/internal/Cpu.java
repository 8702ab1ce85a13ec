package io.github.gramian.tensor.internal;

import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.natives.internal.UserCache;
import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Features of this machine's processor, found without loading the engine. */
public final class Cpu {

    private static final Path FACTS = Path.of("/proc/cpuinfo");

    private static final List<String> FEATURES_THAT_MATTER =
            List.of("avx2", "fma", "avx512f", "avx512_bf16", "amx_tile", "amx_bf16");

    private static final List<String> INTEGER_FEATURES = List.of("avx_vnni", "avx512_vnni", "amx_int8");

    private Cpu() {}

    /** Those of the relevant instructions that it has; empty if they are unknown, since only Linux has a file for them. */
    public static List<String> features() {
        return known(FEATURES_THAT_MATTER);
    }

    /**
     * Those of the instructions for products of 8-bit integers that it has; empty if they are unknown. They are separate from
     * {@link #features}, which runs record and which concerns the engine for training.
     */
    public static List<String> integerFeatures() {
        return known(INTEGER_FEATURES);
    }

    private static List<String> known(List<String> wanted) {
        if (!Files.isReadable(FACTS)) {
            return List.of();
        }
        try (Stream<String> lines = Files.lines(FACTS)) {
            return among(wanted, lines);
        } catch (IOException e) {
            return List.of();
        }
    }

    static List<String> features(Stream<String> facts) {
        return among(FEATURES_THAT_MATTER, facts);
    }

    static List<String> integerFeatures(Stream<String> facts) {
        return among(INTEGER_FEATURES, facts);
    }

    private static List<String> among(List<String> wanted, Stream<String> facts) {
        Set<String> flags = facts.filter(line -> line.startsWith("flags"))
                .findFirst()
                .map(line ->
                        Set.of(line.substring(line.indexOf(':') + 1).strip().split(" +")))
                .orElse(Set.of());
        return wanted.stream().filter(flags::contains).toList();
    }

    /** The model of the processor as the system names it, or its architecture. */
    public static String model() {
        String model = "";
        try (Stream<String> lines = Files.lines(FACTS)) {
            model = lines.filter(line -> line.startsWith("model name"))
                    .findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .orElse("");
        } catch (IOException | UncheckedIOException e) {
            // Only Linux has the file; elsewhere the architecture must do.
        }
        return model.isEmpty() ? System.getProperty("os.arch", "") : model;
    }

    /**
     * The precision in which a frozen network is fastest on this machine: bfloat16 on processors with instructions for it, and
     * otherwise float.
     */
    public static Precision fastestPrecision() {
        return fastestPrecision(features());
    }

    static Precision fastestPrecision(List<String> features) {
        return features.contains("amx_bf16") || features.contains("avx512_bf16") ? Precision.BFLOAT16 : Precision.FLOAT;
    }

    /**
     * The precision that was measured to be the fastest on this machine, in a file of the user's cache. Its first line is the
     * processor, its second line the precision. A measurement on another processor does not count: home directories are often
     * shared between machines.
     *
     * @param folder the cache directory
     * @param processor this machine's processor
     */
    record StoredPrecision(Path folder, String processor) {

        private static final long MAX_BYTES = 4096;

        /** The one of this machine; empty if the system names no directory for caches. */
        static Optional<StoredPrecision> ofThisMachine() {
            return UserCache.current().gramian().map(cache -> new StoredPrecision(cache, Cpu.name()));
        }

        /** What was measured on this processor; empty if nothing was, or if the file cannot be read. */
        Optional<Precision> read() {
            Path file = file();
            try {
                if (!Files.isRegularFile(file) || Files.size(file) > MAX_BYTES) {
                    return Optional.empty();
                }
                List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
                return lines.size() == 2 && lines.get(0).equals(processor)
                        ? Stream.of(Precision.FLOAT, Precision.BFLOAT16)
                                .filter(precision ->
                                        precision.name().equals(lines.get(1).strip()))
                                .findFirst()
                        : Optional.empty();
            } catch (IOException e) {
                return Optional.empty(); // such as bytes that are not UTF-8; the processor's features decide then
            }
        }

        Path file() {
            return folder.resolve("precision.txt");
        }

        void write(Precision precision) throws IOException {
            AtomicFile.makeFolder(folder);
            AtomicFile.writeText(file(), processor + "\n" + precision.name() + "\n");
        }
    }
}
