package io.github.gramian.reliability;

import io.github.gramian.io.disk.WatchedDisk.Change;
import io.github.gramian.io.disk.WatchedDisk.Change.Fault;
import io.github.gramian.io.disk.WatchedDisk.Change.Kind;
import io.github.gramian.io.disk.WatchedDisk.Change.Witness;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Counts changes, and lets the n-th of them fail in one of the ways in which disks fail. */
final class FailingDisk implements Witness {

    private static final String FULL = "No space left on device";
    private static final String BROKEN = "Input/output error";

    /** How a call fails. */
    enum Way {
        /** The disk is full and remains full: files can only be deleted. */
        NO_SPACE,
        /** This one call fails. */
        IO_ERROR,
        /** Half of the bytes are written without an error; from then on the disk is full. */
        SHORT_THEN_FULL,
        /** Half of the bytes are written without an error: as writes may do, and nothing is wrong. */
        SHORT;

        /** Those that a call can meet. */
        static List<Way> of(Kind kind) {
            return switch (kind) {
                case WRITE -> List.of(values());
                case CREATE, MAKE_FOLDER, MOVE, FORCE, CLOSE -> List.of(NO_SPACE, IO_ERROR);
                case TRUNCATE, DELETE, FORCE_FOLDER -> List.of(IO_ERROR);
            };
        }
    }

    /** Changes that need space. */
    private static final Set<Kind> NEED_SPACE = Set.of(Kind.CREATE, Kind.MAKE_FOLDER, Kind.WRITE);

    private final int failing;
    private final Way way;
    private final List<Change> seen = new ArrayList<>();
    private final List<Change> failures = new ArrayList<>();

    /** @param failing number of the change that fails, from 0; −1 for none */
    FailingDisk(int failing, Way way) {
        this.failing = failing;
        this.way = way;
    }

    static FailingDisk whole() {
        return new FailingDisk(-1, Way.IO_ERROR);
    }

    /** All changes so far, without their bytes. */
    List<Change> seen() {
        return List.copyOf(seen);
    }

    /** The change that failed, if the program came so far. */
    @Nullable
    Change failed() {
        return failing >= 0 && failing < seen.size() ? seen.get(failing) : null;
    }

    /** All changes that failed: a full disk remains full. */
    List<Change> failures() {
        return List.copyOf(failures);
    }

    @Override
    public @Nullable Fault before(Change change) {
        int number = seen.size();
        seen.add(new Change(change.kind(), change.path(), change.target(), change.position(), null));
        boolean remainsFull = way == Way.NO_SPACE || way == Way.SHORT_THEN_FULL;
        if (failing < 0
                || number < failing
                || (number > failing && !(remainsFull && NEED_SPACE.contains(change.kind())))) {
            return null;
        }
        failures.add(change);
        boolean half = number == failing && (way == Way.SHORT || way == Way.SHORT_THEN_FULL);
        return new Fault(half, half ? null : error(change));
    }

    /** As the JDK reports it: open files do not know their names. */
    private IOException error(Change change) {
        String reason = way == Way.IO_ERROR ? BROKEN : FULL;
        return switch (change.kind()) {
            case CREATE, MAKE_FOLDER, MOVE, DELETE ->
                new FileSystemException(
                        change.path().toString(),
                        change.target() == null ? null : change.target().toString(),
                        reason);
            default -> new IOException(reason);
        };
    }
}
