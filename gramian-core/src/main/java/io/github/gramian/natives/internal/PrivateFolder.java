package io.github.gramian.natives.internal;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/**
 * A folder that no other user of the machine has ever written to or can replace. Its content may be
 * executed.
 *
 * <p>Only the owner can enter it, from the moment it is made. Every folder above it belongs to its owner or to the user who owns
 * the root folder; one that others may write to is sticky, as /tmp is, so that they cannot move what is not theirs. Where a
 * system does not know such owners and modes (Windows), the folder is taken as it is.
 */
final class PrivateFolder {

    private static final int PERMISSIONS = 0777;
    private static final int OWNER_ALONE = 0700;
    private static final int OTHERS_WRITE = 0002;
    private static final int GROUP_WRITES = 0020;
    private static final int STICKY = 01000;

    private PrivateFolder() {}

    /** The folder is there, and others could have put something into it. */
    static final class UntrustedException extends FileSystemException {

        private static final long serialVersionUID = 1L;

        UntrustedException(Path folder, String reason) {
            super(folder.toString(), null, reason);
        }
    }

    /**
     * Makes the folder if it is not there.
     *
     * @param parent made as well if it is not there
     * @return its real path, without links
     * @throws UntrustedException if it is there and not private
     * @throws IOException if it cannot be made
     */
    static Path in(Path parent, String name) throws IOException {
        if (!parent.isAbsolute()) {
            throw new UntrustedException(parent, "it is not an absolute path");
        }
        if (!Files.isDirectory(parent)) { // early releases of Java 17 take a link to a directory for a file
            Files.createDirectories(parent, forOwner(parent));
        }
        Path above = parent.toRealPath();
        Path folder = above.resolve(name);
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            makeUnlessThere(folder);
        }
        requirePrivate(folder);
        return folder;
    }

    private static void makeUnlessThere(Path folder) throws IOException {
        try {
            Files.createDirectory(folder, forOwner(folder));
        } catch (FileAlreadyExistsException e) {
            // Another process made it: it is checked like any other.
        }
    }

    /** A new folder under an unpredictable name. */
    static Path fresh(Path parent) throws IOException {
        Path folder = Files.createTempDirectory(parent.toRealPath(), "gramian-natives", forOwner(parent));
        requirePrivate(folder);
        return folder;
    }

    /** Refuses a folder that others may enter. */
    static void requirePrivate(Path folder) throws IOException {
        requireTrusted(folder);
        if (knowsOwners(folder) && (Owned.of(folder).mode & PERMISSIONS) != OWNER_ALONE) {
            throw new UntrustedException(folder, "others may enter it (its mode is not 0700)");
        }
    }

    /** Refuses a folder that others may write to, or could put another in the place of. */
    static void requireTrusted(Path folder) throws IOException {
        if (!knowsOwners(folder)) {
            return;
        }
        Owned own = Owned.of(folder);
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            throw new UntrustedException(folder, "it is not a directory");
        }
        int user = user(folder);
        if (own.user != user) {
            throw new UntrustedException(folder, "it belongs to another user");
        }
        int administrator = Owned.of(folder.getRoot()).user;
        for (Path part = folder; part != null; part = part.getParent()) {
            Owned one = Owned.of(part);
            boolean known = one.user == user || one.user == administrator;
            boolean sticky = (one.mode & STICKY) != 0 && !part.equals(folder);
            if (!known || (one.othersWrite(part) && !sticky)) {
                throw new UntrustedException(folder, "another user may write to " + part);
            }
        }
    }

    /**
     * Whether a directory belongs to neither the user of this process nor the administrator.
     *
     * @param writable a directory in which this process may make files
     */
    static boolean belongsToAnother(Path directory, Path writable) throws IOException {
        if (!knowsOwners(directory)) {
            return false;
        }
        int owner = Owned.of(directory.toRealPath()).user;
        return owner != user(writable) && owner != Owned.of(directory.getRoot()).user;
    }

    /** The user id of this process, as the file system sees it: the owner of the files it creates. */
    private static int user(Path folder) throws IOException {
        Path probe = Files.createTempFile(folder, ".gramian", ".probe");
        try {
            return Owned.of(probe).user;
        } finally {
            Files.delete(probe);
        }
    }

    private record Owned(int user, int group, int mode) {

        static Owned of(Path path) throws IOException {
            Map<String, Object> found = Files.readAttributes(path, "unix:uid,gid,mode", LinkOption.NOFOLLOW_LINKS);
            return new Owned((Integer) found.getOrDefault("uid", -1), (Integer) found.getOrDefault("gid", -1), (Integer)
                    found.getOrDefault("mode", 0));
        }

        /** A group that bears the owner's name has no other member, where systems give every user a group. */
        boolean othersWrite(Path path) throws IOException {
            if ((mode & OTHERS_WRITE) != 0) {
                return true;
            }
            return (mode & GROUP_WRITES) != 0
                    && !String.valueOf(Files.getAttribute(path, "posix:group", LinkOption.NOFOLLOW_LINKS))
                            .equals(String.valueOf(Files.getOwner(path, LinkOption.NOFOLLOW_LINKS)));
        }
    }

    private static boolean knowsOwners(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("unix");
    }

    private static FileAttribute<?>[] forOwner(Path path) {
        return knowsOwners(path)
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
                }
                : new FileAttribute<?>[0];
    }
}
