package io.github.gramian.spark.job;

import io.github.gramian.certainty.internal.Half;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * How the values of a descriptor are stored in a table: little-endian, one after the other, next to a scale. Each states how
 * far a decoded value may lie from the true one.
 */
public enum DescriptorEncoding {
    /** 32 bits per value; exact. */
    FP32(4) {
        @Override
        float scaleOf(float[] descriptor) {
            return 1;
        }

        @Override
        void put(ByteBuffer out, float number, float scale) {
            out.putFloat(number);
        }

        @Override
        float get(ByteBuffer in, float scale) {
            return in.getFloat();
        }

        @Override
        public double errorBound(float number, float scale) {
            return 0;
        }
    },

    /** 16 bits a number: 11 significant bits, down to 6·10⁻⁸. */
    FP16(2) {
        @Override
        float scaleOf(float[] descriptor) {
            if (largest(descriptor) > MAX_HALF) {
                throw new ArithmeticException(
                        "a descriptor with values beyond 65504 does not fit 16 bits; use int8 or fp32");
            }
            return 1;
        }

        @Override
        void put(ByteBuffer out, float number, float scale) {
            out.putShort(Half.bits(number));
        }

        @Override
        float get(ByteBuffer in, float scale) {
            return Half.value(in.getShort());
        }

        @Override
        public double errorBound(float number, float scale) {
            return Math.max(Math.abs(number) * 0x1p-11, 0x1p-25);
        }
    },

    /** 8 bits a number: number ≈ scale · integer, scale = largest magnitude / 127. */
    INT8(1) {
        @Override
        float scaleOf(float[] descriptor) {
            return largest(descriptor) / 127;
        }

        @Override
        void put(ByteBuffer out, float number, float scale) {
            out.put((byte) Math.max(-127, Math.min(127, scale == 0 ? 0 : Math.round((double) number / scale))));
        }

        @Override
        float get(ByteBuffer in, float scale) {
            return in.get() * scale;
        }

        @Override
        public double errorBound(float number, float scale) {
            // Half a step, and what rounding the scale itself to a float may add at its 127-fold.
            return scale * 0.5 + Math.abs(number) * 0x1p-22 + Float.MIN_VALUE * 127;
        }
    };

    private static final float MAX_HALF = 65_504;

    private final int bytes;

    DescriptorEncoding(int bytes) {
        this.bytes = bytes;
    }

    /**
     * An encoded descriptor.
     *
     * @param bytes encoded values
     * @param scale that decoding needs
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not stored
    public record Encoded(byte[] bytes, float scale) {}

    /** The encoding with this key, such as {@code fp16}. */
    public static DescriptorEncoding named(String key) {
        return Arrays.stream(values())
                .filter(encoding -> encoding.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no encoding '" + key + "'; choose one of "
                        + Arrays.stream(values()).map(DescriptorEncoding::key).collect(Collectors.joining(", "))));
    }

    /** The name used in settings. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    public int bytes() {
        return bytes;
    }

    /** Encodes finite values. */
    public Encoded encode(float[] descriptor) {
        float scale = scaleOf(descriptor);
        ByteBuffer out = ByteBuffer.allocate(Math.multiplyExact(descriptor.length, bytes))
                .order(ByteOrder.LITTLE_ENDIAN);
        for (float number : descriptor) {
            put(out, number, scale);
        }
        return new Encoded(out.array(), scale);
    }

    /** Decodes values, each within {@link #errorBound} of the original. */
    public float[] decode(byte[] encoded, float scale) {
        ByteBuffer in = ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN);
        float[] descriptor = new float[encoded.length / bytes];
        for (int i = 0; i < descriptor.length; i++) {
            descriptor[i] = get(in, scale);
        }
        return descriptor;
    }

    /** How far a decoded value may lie from the true one, given the descriptor's scale. */
    public abstract double errorBound(float number, float scale);

    abstract float scaleOf(float[] descriptor);

    abstract void put(ByteBuffer out, float number, float scale);

    abstract float get(ByteBuffer in, float scale);

    private static float largest(float[] descriptor) {
        float largest = 0;
        for (float number : descriptor) {
            largest = Math.max(largest, Math.abs(number));
        }
        return largest;
    }
}
