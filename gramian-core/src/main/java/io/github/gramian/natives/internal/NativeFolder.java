package io.github.gramian.natives.internal;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;

/**
 * Where the engine's libraries are unpacked to: a folder that only this user can access. JavaCPP would take {@code
 * ~/.javacpp}, or where there is no home a folder that anybody may have created before, and load any file there that has the
 * expected size.
 *
 * @param properties of the system
 * @param environment of the process
 * @param warn receives a message when a folder had to be skipped
 */
record NativeFolder(Properties properties, Map<String, String> environment, Consumer<String> warn) {

    /** JavaCPP's setting, which users give to have the libraries elsewhere. */
    static final String SETTING = "org.bytedeco.javacpp.cachedir";

    private static final String NAME = "natives";

    /** A folder that the user names is never skipped: if it cannot be trusted, it is refused. */
    Path choose() throws IOException {
        String named = properties.getProperty(SETTING, "");
        if (!named.isEmpty()) {
            try {
                return PrivateFolder.in(new File(named).getAbsoluteFile().toPath(), "gramian-" + NAME);
            } catch (IOException e) {
                throw new IOException(
                        e.getMessage() + ": -D" + SETTING + "=" + named
                                + " must name a directory that only you may write to",
                        e);
            }
        }
        List<String> passedOver = new ArrayList<>();
        for (Place place : places()) {
            try {
                Path folder = PrivateFolder.in(place.parent(), place.name());
                warnOf(passedOver, folder);
                return folder;
            } catch (PrivateFolder.UntrustedException e) {
                passedOver.add(e.getMessage());
            } catch (IOException e) {
                // A home that cannot be written to, as that of a service: nothing is wrong with the next place.
            }
        }
        Path folder = PrivateFolder.fresh(temporary());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(folder), "gramian-natives"));
        warnOf(passedOver, folder);
        return folder;
    }

    private record Place(Path parent, String name) {}

    /** The user's cache; without a home, a directory in the temporary one that the next start finds again. */
    private List<Place> places() {
        List<Place> places = new ArrayList<>();
        cache().gramian().ifPresent(parent -> places.add(new Place(parent, NAME)));
        String user = properties.getProperty("user.name", "").replaceAll("[^A-Za-z0-9._-]", "_");
        places.add(new Place(temporary(), "gramian-" + NAME + "-" + user));
        return places;
    }

    private UserCache cache() {
        return new UserCache(properties, environment);
    }

    private Path temporary() {
        return cache().temporary();
    }

    private void warnOf(List<String> passedOver, Path folder) {
        if (!passedOver.isEmpty()) {
            warn.accept("the engine's libraries are unpacked to " + folder + ", since "
                    + String.join(" and ", passedOver)
                    + "; make that directory accessible to you only, or name another: -D" + SETTING
                    + "=FOLDER");
        }
    }

    /** Deletes a directory that was unpacked only for this process. */
    private static void remove(Path folder) {
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, IOException failure) throws IOException {
                    Files.delete(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            // It is the last thing this process does; there is nowhere to report it.
        }
    }
}
