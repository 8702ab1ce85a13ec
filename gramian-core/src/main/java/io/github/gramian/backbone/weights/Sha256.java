package io.github.gramian.backbone.weights;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** SHA-256 of files, as 64 lower-case hexadecimal digits. */
public final class Sha256 {

    private Sha256() {}

    /** Of a file; of a tfjs folder, of its model.json and .bin files one after the other in the order of their names. */
    public static String of(Path source) throws IOException {
        MessageDigest digest = digest();
        for (Path file : files(source)) {
            try (InputStream in = Files.newInputStream(file)) {
                byte[] buffer = new byte[1 << 16];
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    digest.update(buffer, 0, read);
                }
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static List<Path> files(Path source) throws IOException {
        if (Files.isDirectory(source) || source.endsWith("model.json")) {
            Path folder = Files.isDirectory(source)
                    ? source
                    : source.toAbsolutePath().resolveSibling(".").normalize();
            try (Stream<Path> all = Files.list(folder)) {
                return all.filter(file -> file.endsWith("model.json")
                                || file.getFileName().toString().endsWith(".bin"))
                        .sorted()
                        .toList();
            }
        }
        return List.of(source);
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException everyJavaHasIt) {
            throw new IllegalStateException(everyJavaHasIt);
        }
    }
}
