package io.github.gramian.io.internal;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The members of a tar archive (POSIX ustar with extended headers, and GNU's dialect), read from front to end. A name is only
 * a name, and no number of the archive makes this allocate more than the caller allows.
 */
public final class TarReader implements Closeable {

    private static final int LONGEST_HEADER = 1 << 16;
    private static final int LONGEST_NAME = 4096;
    private static final int PIECE = 1 << 16;

    private final InputStream in;
    private final long maxBytes;
    private long at;
    private long unread;
    private long padding;

    /**
     * Reads from a stream, which it closes in the end.
     *
     * @param maxBytes of the whole archive; a longer one is rejected
     */
    public TarReader(InputStream in, long maxBytes) {
        this.in = in;
        this.maxBytes = maxBytes;
    }

    /**
     * The next member; what was not read of the one before is passed over.
     *
     * @return the member; null at the end
     * @throws TarException if the archive is broken
     */
    public @Nullable Entry next() throws IOException {
        pass();
        String longName = null;
        long longSize = -1;
        while (true) {
            byte[] block = block();
            if (block == null || Header.isEnd(block)) {
                return null;
            }
            Header header = Header.parse(block, at - Header.BLOCK);
            switch (header.type()) {
                case 'L' -> longName = name(trimmed(extended(header.size())));
                case 'x' -> {
                    Pax pax = Pax.parse(extended(header.size()), at);
                    longName = pax.path() == null ? longName : name(pax.path());
                    longSize = pax.size() < 0 ? longSize : pax.size();
                }
                case 'g' -> extended(header.size());
                default -> {
                    enter(longSize < 0 ? header.size() : longSize);
                    return new Entry(name(longName == null ? header.name() : longName), unread, header.isFile());
                }
            }
        }
    }

    /**
     * The content of the member that {@link #next} gave, once.
     *
     * @param most bytes that may be read
     */
    public byte[] content(int most) throws IOException {
        if (unread > most) {
            throw new TarException("byte " + at + ": a member of " + unread + " bytes, more than " + most);
        }
        // Reads in pieces: an archive that is cut off costs what it has, not what it promises.
        byte[] content = in.readNBytes((int) unread);
        at += content.length;
        if (content.length < unread) {
            throw cutOff();
        }
        unread = 0;
        pass();
        return content;
    }

    /** Copies the content of the member that {@link #next} gave, once. */
    public void copyTo(OutputStream out) throws IOException {
        byte[] piece = new byte[PIECE];
        while (unread > 0) {
            int read = in.read(piece, 0, (int) Math.min(piece.length, unread));
            if (read < 0) {
                throw cutOff();
            }
            out.write(piece, 0, read);
            at += read;
            unread -= read;
        }
        pass();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    /** From here on, this number of bytes is a content, and zeros fill its last block. */
    private void enter(long size) throws TarException {
        if (size < 0 || size > Long.MAX_VALUE - Header.BLOCK) {
            throw new TarException("byte " + at + ": a member of " + size + " bytes");
        }
        padding = (Header.BLOCK - size % Header.BLOCK) % Header.BLOCK;
        if (size + padding > maxBytes - at) {
            throw new TarException("byte " + at + ": the archive unpacks to more than " + maxBytes + " bytes");
        }
        unread = size;
    }

    /** Passes over what is left of a content and the zeros after it. */
    private void pass() throws IOException {
        try {
            in.skipNBytes(unread + padding);
        } catch (EOFException e) {
            throw cutOff();
        }
        at += unread + padding;
        unread = 0;
        padding = 0;
    }

    private byte[] extended(long size) throws IOException {
        if (size > LONGEST_HEADER) {
            throw new TarException("byte " + at + ": an extended tar header of " + size + " bytes");
        }
        enter(size);
        return content(LONGEST_HEADER);
    }

    /** The next 512 bytes; null at the end, which some writers do not mark. */
    private byte @Nullable [] block() throws IOException {
        byte[] block = in.readNBytes(Header.BLOCK);
        at += block.length;
        if (block.length == 0) {
            return null;
        }
        if (block.length < Header.BLOCK) {
            throw cutOff();
        }
        return block;
    }

    private TarException cutOff() {
        return new TarException("the archive is cut off after byte " + at);
    }

    private static String trimmed(byte[] content) {
        int end = content.length;
        while (end > 0 && content[end - 1] == 0) {
            end--;
        }
        return new String(content, 0, end, StandardCharsets.UTF_8);
    }

    private String name(String name) throws TarException {
        if (name.isEmpty() || name.length() > LONGEST_NAME || name.indexOf('\0') >= 0) {
            throw new TarException(
                    "byte " + at + ": a name that is empty, longer than " + LONGEST_NAME + ", or contains a zero");
        }
        return name;
    }

    /**
     * A member of a tar archive.
     *
     * @param name as it stands in the archive; it may try to leave a folder, so it is never a path
     * @param size of its content in bytes
     * @param isFile whether it is a plain file, not a folder or a link
     */
    public record Entry(String name, long size, boolean isFile) {}

    /**
     * The block of 512 bytes before a file in a tar archive (POSIX ustar and its GNU dialect).
     *
     * @param name of the file
     * @param size of its content in bytes
     * @param type as the format numbers them: '0' or 0 for files, '5' folders, 'x' and 'g' extended headers, 'L' GNU's long name
     */
    record Header(String name, long size, char type) {

        static final int BLOCK = 512;

        /** Bytes of a name that fit into the header; a longer one is in an extended header. */
        static final int NAME = 100;

        static final int SIZE_AT = 124;
        private static final int SIZE_LENGTH = 12;
        static final int SUM_AT = 148;
        private static final int SUM_LENGTH = 8;
        static final int TYPE_AT = 156;
        static final int MAGIC_AT = 257;
        private static final int PREFIX_AT = 345;
        private static final int PREFIX_LENGTH = 155;

        /** Whether a block is all zeros: the end of the archive. */
        static boolean isEnd(byte[] block) {
            for (byte value : block) {
                if (value != 0) {
                    return false;
                }
            }
            return true;
        }

        /** Reads a block, after verifying its checksum; at is its position in the archive, for messages. */
        static Header parse(byte[] block, long at) throws TarException {
            long written = number(block, SUM_AT, SUM_LENGTH, at);
            if (written != sum(block)) {
                throw new TarException("byte " + at + ": an invalid header, its checksum does not match");
            }
            long size = number(block, SIZE_AT, SIZE_LENGTH, at);
            String name = string(block, 0, NAME);
            boolean posix = string(block, MAGIC_AT, 6).equals("ustar") && block[MAGIC_AT + 5] == 0;
            String prefix = posix ? string(block, PREFIX_AT, PREFIX_LENGTH) : "";
            return new Header(prefix.isEmpty() ? name : prefix + "/" + name, size, (char) (block[TYPE_AT] & 0xFF));
        }

        boolean isFile() {
            return type == '0' || type == 0 || type == '7';
        }

        /** The sum of all bytes, those of the sum itself taken as spaces. */
        static long sum(byte[] block) {
            long sum = 0;
            for (int i = 0; i < BLOCK; i++) {
                sum += i >= SUM_AT && i < SUM_AT + SUM_LENGTH ? ' ' : block[i] & 0xFF;
            }
            return sum;
        }

        /** Octal digits, or (GNU) a big-endian number marked by the highest bit. */
        private static long number(byte[] block, int from, int length, long at) throws TarException {
            if ((block[from] & 0x80) != 0) {
                return binary(block, from, length, at);
            }
            long value = 0;
            boolean digits = false;
            for (int i = from; i < from + length; i++) {
                int c = block[i];
                if (c >= '0' && c <= '7') {
                    value = value * 8 + (c - '0');
                    digits = true;
                } else if (c == ' ' || c == 0) {
                    if (digits) {
                        break;
                    }
                } else {
                    throw new TarException("byte " + at + ": a number in the tar header is not octal");
                }
            }
            return value;
        }

        private static long binary(byte[] block, int from, int length, long at) throws TarException {
            long value = block[from] & 0x7F;
            for (int i = from + 1; i < from + length; i++) {
                if (value > Long.MAX_VALUE >> 8) {
                    throw new TarException("byte " + at + ": a number in the tar header is too large");
                }
                value = value << 8 | (block[i] & 0xFF);
            }
            return value;
        }

        private static String string(byte[] block, int from, int length) {
            int end = from;
            while (end < from + length && block[end] != 0) {
                end++;
            }
            return new String(block, from, end - from, StandardCharsets.UTF_8);
        }
    }

    /**
     * The two fields that Gramian needs from an extended POSIX header, which describes the file after it. Its records are {@code length
     * key=value\n}, the length counting the whole record.
     *
     * @param path name of the file; null if it is not given
     * @param size of its content; −1 if it is not given
     */
    record Pax(@Nullable String path, long size) {

        static Pax parse(byte[] content, long at) throws TarException {
            String path = null;
            long size = -1;
            int from = 0;
            while (from < content.length && content[from] != 0) {
                int space = indexOf(content, ' ', from);
                int length = length(content, from, space, at);
                int end = from + length;
                int equals = indexOf(content, '=', space);
                if (length <= 0 || end > content.length || content[end - 1] != '\n' || equals >= end) {
                    throw broken(at);
                }
                String key = string(content, space + 1, equals);
                String value = string(content, equals + 1, end - 1);
                if (key.equals("path")) {
                    path = value;
                } else if (key.equals("size")) {
                    size = number(value, at);
                }
                from = end;
            }
            return new Pax(path, size);
        }

        private static int length(byte[] content, int from, int space, long at) throws TarException {
            return (int) Math.min(number(string(content, from, space), at), content.length + 1L - from);
        }

        private static long number(String digits, long at) throws TarException {
            if (!digits.matches("[0-9]{1,18}")) {
                throw broken(at);
            }
            return Long.parseLong(digits);
        }

        private static int indexOf(byte[] content, char wanted, int from) {
            int i = from;
            while (i < content.length && content[i] != wanted) {
                i++;
            }
            return i;
        }

        private static String string(byte[] content, int from, int to) {
            return to <= from ? "" : new String(content, from, to - from, StandardCharsets.UTF_8);
        }

        private static TarException broken(long at) {
            return new TarException("byte " + at + ": the extended tar header before it is broken");
        }
    }

    /** A tar archive is broken, cut off or larger than allowed; the message names the byte. */
    public static final class TarException extends IOException {

        private static final long serialVersionUID = 1;

        public TarException(String message) {
            super(message);
        }
    }
}
