package io.github.gramian.reliability;

import io.github.gramian.io.disk.WatchedDisk.Change;
import io.github.gramian.io.disk.WatchedDisk.Change.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Possible contents of a disk after power was lost while a program wrote.
 *
 * <p>Only what POSIX promises counts. Bytes last from the moment at which their file was forced; names (new files and folders,
 * renames, deletions) from the moment at which their folder was. A rename happens completely or not at all. Everything else
 * that was done before the loss may or may not have happened, each change by itself, whatever the order was: a write that was
 * not forced may be missing, cut short, or have left zeros. A folder whose own name was lost takes its content with it.
 */
final class CrashImages {

    private static final int NONE = -1;

    private final List<Change> log;
    private final Path root;
    private final Map<Integer, byte[]> first = new HashMap<>();
    private final Map<Path, Integer> firstNames = new HashMap<>();
    private final Set<Path> firstFolders = new HashSet<>();
    private final int[] files;
    private final boolean[] empties;

    /**
     * @param root the folder that was changed
     * @param before a copy of the folder as it was
     * @param log all changes, in the order in which they were made
     */
    CrashImages(Path root, Path before, List<Change> log) throws IOException {
        this.root = root;
        this.log = List.copyOf(log);
        this.files = new int[log.size()];
        this.empties = new boolean[log.size()];
        try (Stream<Path> there = Files.walk(before)) {
            for (Path path : there.toList()) {
                Path same = root.resolve(before.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    firstFolders.add(same);
                } else {
                    firstNames.put(same, first.size());
                    first.put(first.size(), Files.readAllBytes(path));
                }
            }
        }
        identify();
    }

    /** Which file each change is about, since names change. */
    private void identify() {
        Map<Path, Integer> names = new HashMap<>(firstNames);
        int next = first.size();
        for (int i = 0; i < log.size(); i++) {
            Change change = log.get(i);
            Path path = path(change.path());
            if (change.kind() == Kind.CREATE) {
                empties[i] = names.containsKey(path);
                if (!empties[i]) {
                    names.put(path, next++);
                }
            }
            files[i] = names.getOrDefault(path, NONE);
            if (change.kind() == Kind.MOVE) {
                names.put(
                        path(change.target()), files[i]); // the old name remains known for what is still open under it
            }
        }
    }

    private Path path(@Nullable Path path) {
        return root.getFileSystem().getPath(String.valueOf(path));
    }

    int changes() {
        return log.size();
    }

    /** The last kind of change before a loss, for messages. */
    Change at(int cut) {
        return log.get(Math.max(0, cut - 1));
    }

    /** Which of the changes that need not have lasted did. */
    interface Luck {

        /** Whether a change of names happened. */
        boolean named();

        /** How many bytes of a write arrived; negative: the number of zeros instead. */
        int written(int length);

        /** Nothing that need not last did. */
        static Luck none() {
            return of(false);
        }

        /** Everything did, as after a kill. */
        static Luck all() {
            return of(true);
        }

        private static Luck of(boolean happened) {
            return new Luck() {
                @Override
                public boolean named() {
                    return happened;
                }

                @Override
                public int written(int length) {
                    return happened ? length : 0;
                }
            };
        }

        /** Some did. */
        static Luck random(SplittableRandom random) {
            return new Luck() {
                @Override
                public boolean named() {
                    return random.nextBoolean();
                }

                @Override
                public int written(int length) {
                    return switch (random.nextInt(5)) {
                        case 0 -> 0;
                        case 1 -> random.nextInt(length + 1);
                        case 2 -> -length;
                        default -> length;
                    };
                }
            };
        }
    }

    /** Makes the folder what it may be if power is lost after this number of changes. */
    void write(int cut, Luck luck) throws IOException {
        Map<Path, Integer> names = new HashMap<>(firstNames);
        Map<Integer, byte[]> contents = new HashMap<>(first);
        Set<Path> folders = new HashSet<>(firstFolders);
        for (int i = 0; i < cut; i++) {
            Change change = log.get(i);
            Path path = path(change.path());
            boolean bytes = change.kind() == Kind.WRITE || change.kind() == Kind.TRUNCATE || empties[i];
            if (bytes) {
                int length = change.bytes() == null ? 0 : change.bytes().length;
                int arrived = isForced(i, cut, Kind.FORCE) ? length : luck.written(length);
                contents.compute(files[i], (file, old) -> changed(old, change, arrived));
            } else if (isForced(i, cut, Kind.FORCE_FOLDER) || luck.named()) {
                rename(change, path, files[i], names, folders);
            }
        }
        Tree.delete(root);
        folders.stream()
                .filter(folder -> isReached(folder, folders))
                .sorted()
                .forEach(folder -> folder.toFile().mkdirs());
        for (Map.Entry<Path, Integer> name : names.entrySet()) {
            if (isReached(name.getKey().getParent(), folders)) {
                Path file = ofAnotherProcess(name.getKey());
                Files.write(file, contents.getOrDefault(name.getValue(), new byte[0]));
                Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofMinutes(2))));
            }
        }
    }

    private static void rename(Change change, Path path, int file, Map<Path, Integer> names, Set<Path> folders) {
        switch (change.kind()) {
            case MAKE_FOLDER -> folders.add(path);
            case CREATE -> names.put(path, file);
            case MOVE -> {
                names.remove(path, file);
                names.put(path.getFileSystem().getPath(String.valueOf(change.target())), file);
            }
            case DELETE -> {
                names.remove(path);
                folders.remove(path);
            }
            default -> {
                // closing and forcing change nothing
            }
        }
    }

    /** Whether the file, or the folder of the names, was forced between a change and the loss. */
    private boolean isForced(int change, int cut, Kind how) {
        for (int i = change + 1; i < cut; i++) {
            if (log.get(i).kind() == how
                    && (how == Kind.FORCE
                            ? files[i] == files[change]
                            : log.get(i).path().equals(folder(log.get(change))))) {
                return true;
            }
        }
        return false;
    }

    /** The folder that has the new name. */
    private static @Nullable Path folder(Change change) {
        return (change.target() == null ? change.path() : change.target()).getParent();
    }

    private static byte[] changed(byte @Nullable [] old, Change change, int arrived) {
        byte[] before = old == null ? new byte[0] : old;
        if (change.bytes() == null) {
            return Arrays.copyOf(before, (int) Math.min(before.length, change.position()));
        }
        int length = Math.abs(arrived);
        int end = (int) change.position() + length;
        byte[] after = Arrays.copyOf(before, length == 0 ? before.length : Math.max(before.length, end));
        if (arrived > 0) {
            System.arraycopy(change.bytes(), 0, after, (int) change.position(), length);
        } else if (length > 0) {
            Arrays.fill(after, (int) change.position(), end, (byte) 0);
        }
        return after;
    }

    private boolean isReached(@Nullable Path folder, Set<Path> folders) {
        List<Path> above = new ArrayList<>();
        for (Path one = folder; one != null && one.startsWith(root); one = one.getParent()) {
            above.add(one);
        }
        return folders.containsAll(above);
    }

    /** Temporary files carry the name of their process, which is gone after a loss of power. */
    private static Path ofAnotherProcess(Path file) {
        String name = String.valueOf(file.getFileName());
        return file.resolveSibling(name.replaceFirst("\\.[0-9a-f]{16}(\\.[0-9a-f]{16}\\.tmp)$", ".0123456789abcdef$1"));
    }
}
