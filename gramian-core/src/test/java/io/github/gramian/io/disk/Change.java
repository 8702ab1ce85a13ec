package io.github.gramian.io.disk;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One call that changes a disk, or makes a change last.
 *
 * @param kind what is done
 * @param path to which file or folder, by its absolute name on the disk below
 * @param target the new name of a file that is moved
 * @param position where bytes are written; where a file is cut off
 * @param bytes that are written
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not stored by the disk
public record Change(Kind kind, Path path, @Nullable Path target, long position, byte @Nullable [] bytes) {

    /** The calls that are seen. */
    public enum Kind {
        /** A file is made, or emptied, by opening it. */
        CREATE,
        WRITE,
        TRUNCATE,
        /** The bytes of a file are made to last. */
        FORCE,
        /** The names in a folder are made to last. */
        FORCE_FOLDER,
        /** A file that was written is closed. */
        CLOSE,
        MOVE,
        DELETE,
        MAKE_FOLDER
    }

    static Change of(Kind kind, Path path) {
        return new Change(kind, path, null, 0, null);
    }

    /**
     * How a call goes wrong.
     *
     * @param half the first half of the bytes is written before
     * @param error that is thrown; null for a write that is short and returns its true length
     */
    public record Fault(boolean half, @Nullable IOException error) {}

    /** Is notified of every change, before and after it is made. */
    public interface Witness {

        /** Before a change: how it goes wrong, or null if it does not. */
        @Nullable
        Fault before(Change change);

        /** A change was made, as it is reported here: a short write with the bytes that were written. */
        default void after(Change change) {}
    }

    @Override
    public String toString() {
        return kind + " " + path.getFileName() + (target == null ? "" : " to " + target.getFileName());
    }
}
