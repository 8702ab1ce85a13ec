package io.github.gramian.cli;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
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
final class SmallDistribution {

    private SmallDistribution() {}

    /** Makes one and gives its start script. */
    static Path in(Path home) throws IOException {
        Path lib = Files.createDirectories(home.resolve("lib"));
        List<String> names = new ArrayList<>();
        Path own = Path.of("");
        for (String element : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(element);
            if (path.endsWith(Path.of("gramian-cli", "target", "classes"))) {
                own = path;
            } else if (Files.isRegularFile(path)) {
                names.add(path.getFileName().toString());
                Files.copy(path, lib.resolve(path.getFileName()));
            } else if (path.endsWith("classes")) {
                names.add("gramian-core-test.jar");
                pack(path, lib.resolve("gramian-core-test.jar"), new Manifest());
            }
        }
        Manifest manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.put(Attributes.Name.MAIN_CLASS, Gramian.class.getName());
        main.put(Attributes.Name.CLASS_PATH, String.join(" ", names));
        main.put(Attributes.Name.IMPLEMENTATION_VERSION, "test");
        main.putValue("Enable-Native-Access", "ALL-UNNAMED");
        pack(own, lib.resolve("gramian-cli-test.jar"), manifest);
        Path script = Files.createDirectories(home.resolve("bin")).resolve("gramian");
        Files.copy(Path.of("src", "main", "dist", "bin", "gramian"), script);
        return script;
    }

    private static void pack(Path classes, Path jar, Manifest manifest) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, manifest);
                Stream<Path> below = Files.walk(classes)) {
            for (Path path : below.filter(Files::isRegularFile).sorted().toList()) {
                String name = classes.relativize(path).toString().replace(File.separatorChar, '/');
                out.putNextEntry(new JarEntry(name));
                Files.copy(path, out);
                out.closeEntry();
            }
        }
    }
}
