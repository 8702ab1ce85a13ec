package io.github.gramian.tensor;

import io.github.gramian.natives.internal.Natives;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.DeviceOptional;
import org.bytedeco.pytorch.Generator;
import org.bytedeco.pytorch.GeneratorOptional;
import org.bytedeco.pytorch.LayoutOptional;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * A seed of random numbers, from which everything random in Gramian follows. It is a value, not a state: {@code seed.child("dropout").child(step)} names a stream
 * that is the same in every run, on every thread, after every restart.
 *
 * <p>A seed, its children and {@link #random} are plain Java. Only drawing tensors starts the engine, so that datasets are
 * divided and recipes read without it.
 */
public record Seed(long value) {

    /** An independent seed for a named purpose. */
    public Seed child(String purpose) {
        long mixed = value;
        for (byte b : purpose.getBytes(StandardCharsets.UTF_8)) {
            mixed = mix(mixed + b);
        }
        return new Seed(mix(mixed ^ 0x5851F42D4C957F2DL));
    }

    /** An independent seed for the i-th of many: a step, an epoch, an image. */
    public Seed child(long index) {
        return new Seed(mix(mix(value) + index));
    }

    /** A fresh source of Java's own random numbers, at the start of this seed's stream. */
    public SplittableRandom random() {
        return new SplittableRandom(value);
    }

    /** A fresh generator of LibTorch on the CPU, at the start of this seed's stream. */
    public Generator generator() {
        Natives.ENGINE.unpack();
        return torch.make_generator_cpu(value);
    }

    /**
     * Standard normal values. They are drawn in double on the CPU and then placed, so that a seed means the same values
     * on every device and (rounded) in every precision.
     */
    public Tensor normal(Placement placement, long... shape) {
        Natives.ENGINE.unpack(); // before the first of the engine's classes below
        return placement.place(torch.randn(
                shape,
                new GeneratorOptional(generator()),
                new ScalarTypeOptional(ScalarType.Double),
                new LayoutOptional(),
                new DeviceOptional(),
                new BoolOptional()));
    }

    /** Values uniform on [0, 1), drawn like {@link #normal}. */
    public Tensor uniform(Placement placement, long... shape) {
        Natives.ENGINE.unpack();
        return placement.place(torch.rand(
                shape,
                new GeneratorOptional(generator()),
                new ScalarTypeOptional(ScalarType.Double),
                new LayoutOptional(),
                new DeviceOptional(),
                new BoolOptional()));
    }

    /** The finaliser of SplitMix64: every input bit reaches every output bit. */
    private static long mix(long z) {
        long a = (z + 0x9E3779B97F4A7C15L) ^ ((z + 0x9E3779B97F4A7C15L) >>> 30);
        a *= 0xBF58476D1CE4E5B9L;
        a = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
        return a ^ (a >>> 31);
    }
}
