package io.github.gramian.tensor.internal;

import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
}
