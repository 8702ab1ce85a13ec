package io.github.gramian.model.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * An array of a model's {@link ModelReference} as bytes of a file, without LibTorch's types: exported models are read where it
 * is not installed.
 *
 * @param type of its elements
 * @param shape of one or two dimensions
 * @param bytes little-endian, row by row
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not changed
record StoredArray(Type type, long[] shape, byte[] bytes) {

    /** The number of bytes that the arrays of one reference may have in all: many times what this program writes. */
    static final int MAX_BYTES = 1 << 26;

    /** Element types; each constant is named as safetensors files name it. */
    enum Type {
        F16(Short.BYTES),
        F32(Float.BYTES);

        private final int bytes;

        Type(int bytes) {
            this.bytes = bytes;
        }
    }

    StoredArray {
        if (shape.length < 1 || shape.length > 2) {
            throw new IllegalArgumentException("an array has " + shape.length + " dimensions");
        }
        long wanted = type.bytes;
        for (long length : shape) {
            if (length < 1 || length > MAX_BYTES) {
                throw new IllegalArgumentException("an array has the shape " + Arrays.toString(shape));
            }
            wanted *= length;
            if (wanted > MAX_BYTES) {
                throw new IllegalArgumentException("an array has the shape " + Arrays.toString(shape));
            }
        }
        if (wanted != bytes.length) {
            throw new IllegalArgumentException(
                    "an array of shape " + Arrays.toString(shape) + " has " + bytes.length + " bytes");
        }
    }

    static StoredArray of(float[] values) {
        byte[] bytes = new byte[values.length * Float.BYTES];
        littleEndian(bytes).asFloatBuffer().put(values);
        return new StoredArray(Type.F32, new long[] {values.length}, bytes);
    }

    /** A matrix in half precision. */
    static StoredArray matrix(short[] bits, int rows) {
        byte[] bytes = new byte[bits.length * Short.BYTES];
        littleEndian(bytes).asShortBuffer().put(bits);
        return new StoredArray(Type.F16, new long[] {rows, bits.length / rows}, bytes);
    }

    private static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The values of a vector. */
    float[] vector() {
        require(Type.F32, 1);
        float[] values = new float[bytes.length / Float.BYTES];
        littleEndian(bytes).asFloatBuffer().get(values);
        return values;
    }

    /** The bits of a matrix in half precision. */
    short[] halves() {
        require(Type.F16, 2);
        short[] bits = new short[bytes.length / Short.BYTES];
        littleEndian(bytes).asShortBuffer().get(bits);
        return bits;
    }

    /** Columns of a matrix. */
    long columns() {
        require(Type.F16, 2);
        return shape[1];
    }

    private void require(Type wanted, int dimensions) {
        if (type != wanted || shape.length != dimensions) {
            throw new IllegalArgumentException("an array is " + type + Arrays.toString(shape) + " and must be " + wanted
                    + " of " + dimensions + " dimensions");
        }
    }
}
