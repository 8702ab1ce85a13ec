package io.github.gramian.run.internal;

import io.github.gramian.io.internal.AtomicFile;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Locale;
import java.util.zip.CRC32C;

/**
 * Scalars over steps in the file format that TensorBoard reads.
 *
 * <p>A file is a row of records, each {@code length (8 bytes) | checksum of length | data | checksum of data}, all
 * little-endian; data is one {@link TensorBoardEvent}. Every process writes its own file, since TensorBoard joins
 * all files of a folder: a resumed run need not read the file of a killed one, and a truncated last record
 * does no harm. Safe for use by many threads.
 */
public final class TensorBoardFile implements Closeable {

    /** Added to every rotated checksum, so that the checksum of data that hold checksums is not degenerate. */
    private static final int MASK_DELTA = 0xa282ead8;

    private static final int MAX_FILES_PER_SECOND = 1000;

    private final Path path;
    private final OutputStream out;

    private TensorBoardFile(Path path, OutputStream out) {
        this.path = path;
        this.out = out;
    }

    /** Starts a new file in a folder, which is made if necessary. Existing files are not changed. */
    public static TensorBoardFile open(Path folder, Instant started) throws IOException {
        AtomicFile.makeFolder(folder);
        for (int attempt = 0; attempt < MAX_FILES_PER_SECOND; attempt++) {
            // TensorBoard recognises its files by "tfevents" and reads those of one folder in the order of their names.
            Path path = folder.resolve(String.format(
                    Locale.ROOT, "events.out.tfevents.%010d.gramian.%03d", started.getEpochSecond(), attempt));
            try {
                OutputStream out = Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                return started(new TensorBoardFile(path, new BufferedOutputStream(out)), started);
            } catch (FileAlreadyExistsException e) {
                // Two runs started in one second: the next number is free, or the one after it.
            }
        }
        throw new IOException(folder + " already has " + MAX_FILES_PER_SECOND + " TensorBoard files of this second;"
                + " give every run a separate directory");
    }

    private static TensorBoardFile started(TensorBoardFile file, Instant started) throws IOException {
        try {
            file.write(TensorBoardEvent.version(started));
            file.flush();
            return file;
        } catch (IOException failure) {
            IOException named = AtomicFile.named(failure, file.path);
            try (file.out) {
                throw named;
            }
        }
    }

    /** Where the events go. */
    public Path path() {
        return path;
    }

    /**
     * Adds one point to the curve of a tag.
     *
     * @param tag name of the curve; a part before a slash groups curves, as in {@code loss/train}
     * @param step on the horizontal axis
     * @param value stored as a float; infinities and NaN are shown as such
     * @param when the wall time
     */
    public void scalar(String tag, long step, double value, Instant when) throws IOException {
        if (tag.isBlank()) {
            throw new IllegalArgumentException("a TensorBoard curve needs a name, such as loss/train");
        }
        write(TensorBoardEvent.scalar(tag, step, (float) value, when));
    }

    /** Makes everything so far visible to a TensorBoard that watches the folder. */
    public synchronized void flush() throws IOException {
        out.flush();
    }

    @Override
    public synchronized void close() throws IOException {
        out.close();
    }

    private synchronized void write(byte[] data) throws IOException {
        byte[] length = little(Long.BYTES).putLong(data.length).array();
        out.write(length);
        out.write(little(Integer.BYTES).putInt(maskedChecksum(length)).array());
        out.write(data);
        out.write(little(Integer.BYTES).putInt(maskedChecksum(data)).array());
    }

    /** CRC-32C turned right by 15 bits plus a constant. */
    static int maskedChecksum(byte[] bytes) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, 0, bytes.length);
        return Integer.rotateRight((int) checksum.getValue(), 15) + MASK_DELTA;
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
