package io.github.gramian.spark.shard;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The images of a tar archive in WebDataset's layout, read from front to end. What lies beside them (labels, captions,
 * folders, links) is skipped. Nothing is unpacked, a name is only a name, and no number of the archive makes this
 * allocate more than the limit for one image.
 */
public final class TarReader implements EntryStream {

    /** Endings of names that are images; what they really hold is for the decoder to say. */
    static final Set<String> IMAGES = Set.of("jpg", "jpeg", "png", "webp", "bmp", "tif", "tiff", "gif");

    private static final int LONGEST_HEADER = 1 << 16;
    private static final int LONGEST_NAME = 4096;

    private final InputStream in;
    private final long mostBytes;
    private long at;

    /** Reads from a stream, which it closes in the end; images of more bytes than the limit come refused. */
    public TarReader(InputStream in, long mostBytes) {
        this.in = in;
        this.mostBytes = mostBytes;
    }

    /** Whether a name is an image's. */
    public static boolean isImage(String name) {
        String last = name.substring(name.lastIndexOf('/') + 1);
        return !last.startsWith(".")
                && IMAGES.contains(last.substring(last.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT));
    }

    @Override
    public @Nullable ImageEntry next() throws IOException {
        String longName = null;
        long longSize = -1;
        while (true) {
            byte[] block = block();
            if (block == null || TarHeader.isEnd(block)) {
                return null;
            }
            TarHeader header = TarHeader.parse(block, at - TarHeader.BLOCK);
            switch (header.type()) {
                case 'L' -> longName = name(trimmed(content(header.size(), LONGEST_HEADER)));
                case 'x' -> {
                    PaxHeader pax = PaxHeader.parse(content(header.size(), LONGEST_HEADER), at);
                    longName = pax.path() == null ? longName : name(pax.path());
                    longSize = pax.size() < 0 ? longSize : pax.size();
                }
                case 'g' -> content(header.size(), LONGEST_HEADER);
                default -> {
                    String name = name(longName == null ? header.name() : longName);
                    long size = longSize < 0 ? header.size() : longSize;
                    if (header.isFile() && isImage(name)) {
                        return image(name, size);
                    }
                    skip(padded(size));
                    longName = null;
                    longSize = -1;
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    private ImageEntry image(String name, long size) throws IOException {
        if (size > mostBytes) {
            skip(padded(size));
            return ImageEntry.tooLong(name, size, mostBytes);
        }
        return ImageEntry.of(name, content(size, (int) mostBytes));
    }

    /** The content of the header that was just read, and the zeros behind it. */
    private byte[] content(long size, int most) throws IOException {
        if (size > most) {
            throw new ShardException("byte " + at + ": an extended tar header of " + size + " bytes");
        }
        // Reads in pieces: a truncated archive costs the bytes it has, not those it claims.
        byte[] content = in.readNBytes((int) size);
        at += content.length;
        if (content.length < size) {
            throw cutOff();
        }
        skip(padded(size) - size);
        return content;
    }

    /** The next 512 bytes; null at the end, which some writers do not mark. */
    private byte @Nullable [] block() throws IOException {
        byte[] block = in.readNBytes(TarHeader.BLOCK);
        at += block.length;
        if (block.length == 0) {
            return null;
        }
        if (block.length < TarHeader.BLOCK) {
            throw cutOff();
        }
        return block;
    }

    private void skip(long bytes) throws IOException {
        try {
            in.skipNBytes(bytes);
            at += bytes;
        } catch (EOFException end) {
            throw cutOff();
        }
    }

    private ShardException cutOff() {
        return new ShardException("the archive is cut off behind byte " + at);
    }

    private static long padded(long size) throws ShardException {
        if (size < 0 || size > Long.MAX_VALUE - TarHeader.BLOCK) {
            throw new ShardException("a file of " + size + " bytes in the archive");
        }
        return (size + TarHeader.BLOCK - 1) / TarHeader.BLOCK * TarHeader.BLOCK;
    }

    private static String trimmed(byte[] content) {
        int end = content.length;
        while (end > 0 && content[end - 1] == 0) {
            end--;
        }
        return new String(content, 0, end, StandardCharsets.UTF_8);
    }

    private String name(String name) throws ShardException {
        if (name.isEmpty() || name.length() > LONGEST_NAME || name.indexOf('\0') >= 0) {
            throw new ShardException(
                    "byte " + at + ": a name that is empty, longer than " + LONGEST_NAME + ", or contains a zero");
        }
        return name;
    }
}
