package io.github.gramian.io.internal;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;

/** A part of an open file, read piece by piece. Nothing is mapped: Java unmaps memory only at some later garbage collection. */
public final class FilePart {

    private FilePart() {}

    /** Copies the bytes from one position up to another. */
    public static void copy(FileChannel file, long from, long to, WritableByteChannel target) throws IOException {
        for (long at = from; at < to; ) {
            long copied = file.transferTo(at, to - at, target);
            if (copied <= 0) {
                throw tooShort(at, to);
            }
            at += copied;
        }
    }

    /** Fills the rest of a buffer with the bytes from a position on. */
    public static void fill(FileChannel file, long from, ByteBuffer target) throws IOException {
        for (long at = from; target.hasRemaining(); ) {
            int read = file.read(target, at);
            if (read < 0) {
                throw tooShort(at, at + target.remaining());
            }
            at += read;
        }
    }

    private static EOFException tooShort(long end, long needed) {
        return new EOFException("the file ends at byte " + end + ", but it should have " + needed);
    }
}
