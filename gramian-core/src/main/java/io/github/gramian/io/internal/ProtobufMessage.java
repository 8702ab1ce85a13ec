package io.github.gramian.io.internal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A message in the wire format of protocol buffers: fields one after another, each a key {@code number << 3 | type} and its
 * content. Lengths stand before contents, so a message knows its size before it is written; large contents are described
 * when they are added and fetched when it is their turn, so that a message may be larger than memory.
 */
public final class ProtobufMessage {

    /** The most bytes that readers of protocol buffers accept. */
    public static final long MAX_BYTES = Integer.MAX_VALUE;

    private static final int VARINT = 0;
    private static final int EIGHT_BYTES = 1;
    private static final int WITH_LENGTH = 2;
    private static final int FOUR_BYTES = 5;

    /** Writes a large content, with exactly the announced number of bytes. */
    @FunctionalInterface
    public interface Content {
        void writeTo(WritableByteChannel channel) throws IOException;
    }

    private record Part(long size, Content content) {}

    private final List<Part> parts = new ArrayList<>();
    private ByteArrayOutputStream tail = new ByteArrayOutputStream();
    private long partsSize;

    /** A whole number; negative ones take ten bytes. */
    public ProtobufMessage number(int field, long value) {
        key(field, VARINT);
        varint(value);
        return this;
    }

    /** A number of four bytes. */
    public ProtobufMessage real(int field, float value) {
        key(field, FOUR_BYTES);
        tail.writeBytes(little(Float.BYTES).putFloat(value).array());
        return this;
    }

    /** A number of eight bytes. */
    public ProtobufMessage real(int field, double value) {
        key(field, EIGHT_BYTES);
        tail.writeBytes(little(Double.BYTES).putDouble(value).array());
        return this;
    }

    /** A string in UTF-8. */
    public ProtobufMessage string(int field, String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        key(field, WITH_LENGTH);
        varint(bytes.length);
        tail.writeBytes(bytes);
        return this;
    }

    /** A message inside this one, which must not change any more. */
    public ProtobufMessage message(int field, ProtobufMessage inner) {
        key(field, WITH_LENGTH);
        varint(inner.size());
        inner.parts.forEach(part -> content(part.size(), part.content()));
        tail.writeBytes(inner.tail.toByteArray());
        return this;
    }

    /** Bytes that are fetched when the message is written. */
    public ProtobufMessage bytes(int field, long size, Content content) {
        if (size < 0) {
            throw new IllegalArgumentException("a content cannot have " + size + " bytes");
        }
        key(field, WITH_LENGTH);
        varint(size);
        content(size, content);
        return this;
    }

    private void content(long size, Content content) {
        endTail();
        parts.add(new Part(size, content));
        partsSize = Math.addExact(partsSize, size);
    }

    /** Ends the part that was written so far, so that another can follow. */
    private void endTail() {
        if (tail.size() > 0) {
            byte[] bytes = tail.toByteArray();
            parts.add(new Part(bytes.length, channel -> writeAll(channel, ByteBuffer.wrap(bytes))));
            partsSize = Math.addExact(partsSize, bytes.length);
            tail = new ByteArrayOutputStream();
        }
    }

    /** Bytes of the message, without a length before it. */
    public long size() {
        return Math.addExact(partsSize, tail.size());
    }

    /** Writes the message. Fails if the size of a content differs from the announced size. */
    public void writeTo(WritableByteChannel channel) throws IOException {
        CountingChannel counting = new CountingChannel(channel);
        for (Part part : parts) {
            long before = counting.count;
            part.content().writeTo(counting);
            if (counting.count - before != part.size()) {
                throw new IOException("a content of " + part.size() + " bytes was announced but "
                        + (counting.count - before) + " were written");
            }
        }
        writeAll(channel, ByteBuffer.wrap(tail.toByteArray()));
    }

    /** The message as bytes, for small ones. */
    public byte[] toByteArray() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(Math.toIntExact(size()));
        try {
            writeTo(Channels.newChannel(bytes));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return bytes.toByteArray();
    }

    private void key(int field, int type) {
        varint((long) field << 3 | type);
    }

    /** Seven bits a byte, lowest first; the top bit is set if more follow. */
    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            tail.write((int) ((rest & 0x7F) | 0x80));
            rest >>>= 7;
        }
        tail.write((int) rest);
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void writeAll(WritableByteChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private static final class CountingChannel implements WritableByteChannel {
        private final WritableByteChannel target;
        private long count;

        CountingChannel(WritableByteChannel target) {
            this.target = target;
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            int written = target.write(source);
            count += written;
            return written;
        }

        @Override
        public boolean isOpen() {
            return target.isOpen();
        }

        @Override
        public void close() throws IOException {
            target.close();
        }
    }
}
