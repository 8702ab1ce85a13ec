package io.github.gramian.natives.internal;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
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
}
