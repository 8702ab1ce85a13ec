package io.github.gramian.io.disk;

import io.github.gramian.io.disk.Change.Fault;
import io.github.gramian.io.disk.Change.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** An open file or folder whose writes, syncs and end are seen and may fail. */
final class WatchedChannel extends FileChannel {

    private final FileChannel below;
    private final Path path;
    private final WatchedDisk disk;
    private final boolean folder;
    private final boolean appends;
    private boolean written;

    WatchedChannel(FileChannel below, Path path, WatchedDisk disk, boolean folder, boolean appends) {
        this.below = below;
        this.path = path;
        this.disk = disk;
        this.folder = folder;
        this.appends = appends;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        long at = appends ? below.size() : below.position();
        int count = write(source, at);
        if (!appends) {
            below.position(at + count);
        }
        return count;
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
        byte[] bytes = new byte[source.remaining()];
        source.duplicate().get(bytes);
        written = true;
        Fault fault = disk.before(new Change(Kind.WRITE, path, null, position, bytes));
        int count = fault == null ? bytes.length : fault.half() ? bytes.length / 2 : 0;
        ByteBuffer part = ByteBuffer.wrap(bytes, 0, count);
        for (long at = position; part.hasRemaining(); ) {
            // The position of a file that is only appended to is where it ends.
            at += appends ? below.write(part) : below.write(part, at);
        }
        if (count > 0) {
            disk.after(new Change(Kind.WRITE, path, null, position, java.util.Arrays.copyOf(bytes, count)));
        }
        if (fault != null && fault.error() != null) {
            throw fault.error();
        }
        source.position(source.position() + count);
        return count;
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        long count = 0;
        for (int i = offset; i < offset + length; i++) {
            while (sources[i].hasRemaining()) {
                count += write(sources[i]);
            }
        }
        return count;
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        written = true;
        Change change = new Change(Kind.TRUNCATE, path, null, size, null);
        disk.require(change);
        below.truncate(size);
        disk.after(change);
        return this;
    }

    @Override
    public void force(boolean metaData) throws IOException {
        Change change = Change.of(folder ? Kind.FORCE_FOLDER : Kind.FORCE, path);
        disk.require(change);
        disk.after(change);
        // The disk below is not forced: the tests lose no power, and would only wait.
    }

    @Override
    protected void implCloseChannel() throws IOException {
        below.close();
        if (written) {
            Change change = Change.of(Kind.CLOSE, path);
            disk.require(change);
            disk.after(change);
        }
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(count, 1 << 20));
        if (source.read(bytes) < 0) {
            return 0;
        }
        bytes.flip();
        return write(bytes, position);
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
        if (!mode.equals(MapMode.READ_ONLY)) {
            throw new UnsupportedOperationException(path + " is written through a mapping, which nobody sees");
        }
        return below.map(mode, position, size);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return below.read(target);
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        return below.read(targets, offset, length);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        return below.read(target, position);
    }

    @Override
    public long position() throws IOException {
        return below.position();
    }

    @Override
    public FileChannel position(long position) throws IOException {
        below.position(position);
        return this;
    }

    @Override
    public long size() throws IOException {
        return below.size();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
        return below.transferTo(position, count, target);
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) throws IOException {
        return below.lock(position, size, shared);
    }

    @Override
    public @Nullable FileLock tryLock(long position, long size, boolean shared) throws IOException {
        return below.tryLock(position, size, shared);
    }
}
