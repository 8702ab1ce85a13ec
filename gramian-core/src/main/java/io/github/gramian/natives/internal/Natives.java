package io.github.gramian.natives.internal;

import io.github.gramian.io.internal.AtomicFile;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bytedeco.javacpp.Loader;

/**
 * Unpacks native libraries before the first of them is loaded. Left to itself JavaCPP unpacks one after the other, and
 * a library that is loaded while its neighbours are still packed takes another program's libraries of the same name from the
 * system's folders, where there are any (Debian's PyTorch is one); the process then dies. They are unpacked to a folder that
 * other users of the machine cannot write to ({@link NativeFolder}), since they are trusted there by their sizes.
 */
public final class Natives {

    /** LibTorch and its BLAS. */
    public static final Natives ENGINE = new Natives("openblas", "pytorch");

    /** Decoders of JPEG and WebP. */
    public static final Natives IMAGES = new Natives("leptonica");

    private static final List<String> EXTENSIONS = List.of("", "-gpu");

    private final List<String> libraries;
    private volatile boolean unpacked;

    private Natives(String... libraries) {
        this.libraries = List.of(libraries);
    }

    /** To be called before anything of these libraries is touched; costs nothing the second time. */
    public void unpack() {
        if (!unpacked) {
            unpackOnce();
        }
    }

    private synchronized void unpackOnce() {
        if (unpacked) {
            return;
        }
        try {
            Folder.SETTLED.run();
            for (String library : libraries) {
                for (String extension : EXTENSIONS) {
                    unpack("/org/bytedeco/" + library + "/" + Loader.getPlatform() + extension + "/");
                }
            }
            unpacked = true;
        } catch (IOException failure) {
            throw failed(failure);
        }
    }

    /**
     * Unpacks a folder of a jar on the class path, such as {@code /ai/onnxruntime/native/linux-x64/}, to the private folder.
     *
     * @return where its files are; empty if no jar on the class path has the folder
     * @throws IOException if it cannot be unpacked
     */
    public static Optional<Path> unpacked(String folder) throws IOException {
        Folder.SETTLED.run();
        unpack(folder);
        URL packed = Loader.class.getResource(folder);
        return packed != null && packed.openConnection() instanceof JarURLConnection connection
                ? Optional.of(Loader.getCacheDir()
                        .toPath()
                        .resolve(new File(connection.getJarFile().getName()).getName() + folder))
                : Optional.empty();
    }

    /** A folder of a jar on the class path, if there is one and it does not lie unpacked already. */
    private static void unpack(String folder) throws IOException {
        URL packed = Loader.class.getResource(folder);
        if (packed == null) {
            return;
        }
        if (!(packed.openConnection() instanceof JarURLConnection connection)) {
            Loader.cacheResources(folder);
            return;
        }
        File jar = new File(connection.getJarFile().getName());
        Path cache = Loader.getCacheDir().toPath().resolve(jar.getName());
        UnpackedFiles unpacked = new UnpackedFiles(cache, jar.length());
        if (!unpacked.complete()) {
            Loader.cacheResources(folder);
            note(unpacked);
        }
    }

    private static void note(UnpackedFiles unpacked) {
        try {
            unpacked.note();
        } catch (IOException e) {
            // The next start walks through the jar again, no more.
        }
    }

    private static UncheckedIOException failed(IOException failure) {
        return new UncheckedIOException(
                "native libraries cannot be unpacked (" + failure.getMessage()
                        + "); give a directory with 1 GB of free space: GRAMIAN_JAVA_OPTS=-D" + NativeFolder.SETTING
                        + "=FOLDER",
                failure);
    }

    /** The caller decides where warnings go; the default is the JDK's logger, which writes to standard error. */
    private static void warn(String sentence) {
        System.getLogger("io.github.gramian").log(System.Logger.Level.WARNING, sentence);
    }

    /** The JVM initialises a class once, whichever threads ask. */
    private static final class Folder {
        static final Runnable SETTLED = settle();

        private static Runnable settle() {
            try {
                settle(new NativeFolder(System.getProperties(), System.getenv(), Natives::warn));
                return () -> {};
            } catch (IOException failure) {
                throw failed(failure);
            }
        }

        /** JavaCPP asks for its folder once and caches it: it gets ours, unless another library of the JVM came first. */
        private static void settle(NativeFolder choice) throws IOException {
            String named = System.getProperty(NativeFolder.SETTING);
            System.setProperty(NativeFolder.SETTING, choice.choose().toString());
            try {
                PrivateFolder.requireTrusted(Loader.getCacheDir().toPath().toRealPath());
            } finally {
                if (named == null) {
                    System.clearProperty(NativeFolder.SETTING);
                } else {
                    System.setProperty(NativeFolder.SETTING, named);
                }
            }
        }
    }

    /**
     * What was unpacked from a jar, noted in a list next to it: comparing the list with the sizes of its files, instead of
     * reading the jar, shows that all files are still there.
     *
     * @param folder that the jar was unpacked into
     * @param jarBytes size of the jar
     */
    record UnpackedFiles(Path folder, long jarBytes) {

        private static final String LIST = "gramian-unpacked.txt";

        /** Whether everything on the list is there in its size, and the list is that of this jar. */
        boolean complete() {
            try {
                List<String> lines = Files.readAllLines(folder.resolve(LIST));
                if (!lines.get(0).equals(Long.toString(jarBytes))) {
                    return false;
                }
                for (String line : lines.subList(1, lines.size())) {
                    int space = line.indexOf(' ');
                    if (Files.size(folder.resolve(line.substring(space + 1)))
                            != Long.parseLong(line.substring(0, space))) {
                        return false;
                    }
                }
                return lines.size() > 1;
            } catch (IOException | RuntimeException e) {
                return false;
            }
        }

        /** Writes the list of what is there. */
        void note() throws IOException {
            String lines;
            try (Stream<Path> below = Files.walk(folder)) {
                lines = below.filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
                        .filter(path -> !path.startsWith(folder.resolve(LIST)))
                        .map(path -> path.toFile().length() + " " + folder.relativize(path) + "\n")
                        .sorted()
                        .collect(Collectors.joining());
            }
            AtomicFile.writeText(folder.resolve(LIST), jarBytes + "\n" + lines);
        }
    }

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
}
