package io.github.gramian.tensor.internal;

import io.github.gramian.tensor.Precision;
import java.io.IOException;
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

    private Cpu() {}

    /** Those of the relevant instructions that it has; empty if they are unknown, since only Linux has a file for them. */
    public static List<String> features() {
        if (!Files.isReadable(FACTS)) {
            return List.of();
        }
        try (Stream<String> lines = Files.lines(FACTS)) {
            return features(lines);
        } catch (IOException e) {
            return List.of();
        }
    }

    static List<String> features(Stream<String> facts) {
        Set<String> flags = facts.filter(line -> line.startsWith("flags"))
                .findFirst()
                .map(line ->
                        Set.of(line.substring(line.indexOf(':') + 1).strip().split(" +")))
                .orElse(Set.of());
        return FEATURES_THAT_MATTER.stream().filter(flags::contains).toList();
    }

    /**
     * The precision in which a network is fastest: bfloat16 where there are instructions for it, otherwise float, since
     * bfloat16 is then computed by way of float and takes a multiple of the time.
     */
    public static Precision fastestPrecision() {
        return fastestPrecision(features());
    }

    static Precision fastestPrecision(List<String> features) {
        return features.contains("amx_bf16") || features.contains("avx512_bf16") ? Precision.BFLOAT16 : Precision.FLOAT;
    }
}
