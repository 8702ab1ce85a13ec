package io.github.gramian.similar.index.internal;

import io.github.gramian.fuzz.FuzzTarget;
import io.github.gramian.fuzz.Scratch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The manifest of an index. */
public final class ManifestFuzz {

    private ManifestFuzz() {}

    public static List<FuzzTarget> targets() {
        Scratch scratch = new Scratch();
        return List.of(FuzzTarget.of(
                "index-manifest",
                () -> {
                    Path file = scratch.folder().resolve("manifest.json");
                    new Manifest("/models/first.gramian", "ab".repeat(32), "0badcafe", 256).write(file);
                    return List.of(Files.readAllBytes(file));
                },
                Manifest::parse,
                IllegalArgumentException.class));
    }
}
