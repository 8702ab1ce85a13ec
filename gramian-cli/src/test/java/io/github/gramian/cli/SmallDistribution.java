package io.github.gramian.cli;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/** A distribution as the build packs it, made of the class path of this test: start script, jars, main jar. */
public final class SmallDistribution {

    private SmallDistribution() {}

    /** Makes one and gives its start script. */
    public static Path in(Path home) throws IOException {
        Path lib = Files.createDirectories(home.resolve("lib"));
        List<String> names = new ArrayList<>();
        Path own = own();
        for (String element : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(element).toAbsolutePath();
            if (path.equals(own) || path.endsWith("test-classes") || element.endsWith("-tests.jar")) {
                continue;
            }
            String file = path.getFileName().toString();
            if (path.endsWith(Path.of("target", "classes"))) {
                String name = path.getName(path.getNameCount() - 3) + "-test.jar";
                names.add(name);
                pack(path, lib.resolve(name), manifest());
            } else if (file.startsWith("gramian-") && Files.isRegularFile(path)) {
                names.add(file);
                packAny(path, lib.resolve(file), manifest());
            } else if (Files.isRegularFile(path)) {
                names.add(file);
                Files.copy(path, lib.resolve(file));
            }
        }
        Manifest manifest = manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MAIN_CLASS, Gramian.class.getName());
        main.put(Attributes.Name.CLASS_PATH, String.join(" ", names));
        main.putValue("Enable-Native-Access", "ALL-UNNAMED");
        packAny(own, lib.resolve("gramian-cli-test.jar"), manifest);
        Path script = Files.createDirectories(home.resolve("bin")).resolve("gramian");
        Files.copy(Path.of("..", "gramian-cli", "src", "main", "dist", "bin", "gramian"), script);
        return script;
    }

    /** With its own version, whether the module was packed by now or not. */
    private static Manifest manifest() {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, "test");
        return manifest;
    }

    /** Where the command line's own classes come from: a folder, or a jar where another module is tested. */
    private static Path own() {
        try {
            return Path.of(Gramian.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toAbsolutePath();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void packAny(Path classes, Path jar, Manifest manifest) throws IOException {
        if (Files.isDirectory(classes)) {
            pack(classes, jar, manifest);
            return;
        }
        try (FileSystem inside = FileSystems.newFileSystem(classes)) {
            pack(inside.getPath("/"), jar, manifest);
        }
    }

    private static void pack(Path classes, Path jar, Manifest manifest) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, manifest);
                Stream<Path> below = Files.walk(classes)) {
            for (Path path : below.filter(Files::isRegularFile)
                    .filter(entry -> !entry.endsWith("MANIFEST.MF"))
                    .sorted()
                    .toList()) {
                String name = classes.relativize(path).toString().replace(File.separatorChar, '/');
                out.putNextEntry(new JarEntry(name));
                Files.copy(path, out);
                out.closeEntry();
            }
        }
    }
}
