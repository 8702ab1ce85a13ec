package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.weights.WeightsException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The bytes of a pickle. Every read is checked against what is left, so a length in the file is never trusted. */
final class PickleInput {

    private static final int MAX_STRING = 1 << 16;

    private final ByteBuffer bytes;

    PickleInput(ByteBuffer bytes) {
        this.bytes = bytes.order(ByteOrder.LITTLE_ENDIAN);
    }

    int position() {
        return bytes.position();
    }

    int u1() throws WeightsException {
        return need(1).get() & 0xff;
    }

    int u2() throws WeightsException {
        return need(2).getShort() & 0xffff;
    }

    int i4() throws WeightsException {
        return need(4).getInt();
    }

    long u4() throws WeightsException {
        return need(4).getInt() & 0xffffffffL;
    }

    long i8() throws WeightsException {
        return need(8).getLong();
    }

    /** A double; the one number that pickles store with the high byte first. */
    double f8() throws WeightsException {
        return Double.longBitsToDouble(Long.reverseBytes(need(8).getLong()));
    }

    byte[] raw(long length) throws WeightsException {
        byte[] read = new byte[checked(length)];
        bytes.get(read);
        return read;
    }

    String string(long length) throws WeightsException {
        ByteBuffer part = bytes.slice(bytes.position(), checked(length));
        bytes.position(bytes.position() + (int) length);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(part).toString();
        } catch (CharacterCodingException e) {
            throw new WeightsException("the pickle has a string that is not UTF-8; the file is damaged", e);
        }
    }

    /** A line, without its line break. */
    String line() throws WeightsException {
        int start = bytes.position();
        for (int length = 0; length < MAX_STRING && start + length < bytes.limit(); length++) {
            if (bytes.get(start + length) == '\n') {
                String line = string(length);
                u1();
                return line;
            }
        }
        throw new WeightsException("the pickle has a line without end; the file is damaged");
    }

    private int checked(long length) throws WeightsException {
        if (length < 0 || length > MAX_STRING || length > bytes.remaining()) {
            throw new WeightsException("the pickle claims a string of " + length + " bytes where " + bytes.remaining()
                    + " are left and " + MAX_STRING + " allowed; the file is damaged or hostile");
        }
        return (int) length;
    }

    private ByteBuffer need(int count) throws WeightsException {
        if (bytes.remaining() < count) {
            throw new WeightsException("the pickle ends in the middle; the file is cut off, download it again");
        }
        return bytes;
    }
}
