package io.github.gramian.onnx.runtime;

import com.fasterxml.jackson.annotation.JsonValue;
import io.github.gramian.tensor.internal.Cpu;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The kind of processor that an ONNX file with an 8-bit backbone is written for. Processors without VNNI or AMX add pairs of
 * products of 8-bit integers in 16 bits, where the sum of two products with full 8-bit weights may saturate.
 */
public enum Int8Target {

    /**
     * Any x86 processor. Weights are −64..64, seven of the eight bits: 2 · 255 · 64 is the largest sum of two products that
     * fits into 16 bits. The file computes the same on every processor.
     */
    AVX2(64),

    /** Processors with AVX-512 VNNI or AVX-VNNI, which add products in 32 bits. Weights are −127..127. */
    VNNI(127),

    /** Processors with AMX for 8-bit integers, which add products in 32 bits. Weights are −127..127. */
    AMX(127);

    private final int maxWeight;

    Int8Target(int maxWeight) {
        this.maxWeight = maxWeight;
    }

    /** The kind of this machine's processor; {@link #AVX2} if it is unknown, as it is on systems other than Linux. */
    public static Int8Target ofThisMachine() {
        return of(Cpu.integerFeatures());
    }

    static Int8Target of(List<String> features) {
        if (features.contains("amx_int8")) {
            return AMX;
        }
        return features.contains("avx512_vnni") || features.contains("avx_vnni") ? VNNI : AVX2;
    }

    /** The target with a key; empty if there is none. */
    public static Optional<Int8Target> ofKey(String key) {
        return Arrays.stream(values())
                .filter(target -> target.key().equals(key))
                .findFirst();
    }

    /** The name on the command line, in reports and in files, such as {@code vnni}. */
    @JsonValue
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The largest absolute value of a rounded weight. */
    public int maxWeight() {
        return maxWeight;
    }

    /** Whether a processor computes files for this target without saturation. */
    public boolean isExactOn(Int8Target processor) {
        return maxWeight <= processor.maxWeight;
    }
}
