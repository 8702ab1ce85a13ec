package io.github.gramian.cli.doctor;

import io.github.gramian.cli.common.Launcher;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.TemporaryFolder;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.internal.Cpu;
import io.github.gramian.tensor.internal.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Work that later starts need not repeat: the engine's libraries are unpacked on disk, and an archive holds the classes that
 * commands load, read and checked (class-data sharing). It also measures which precision is faster on this machine.
 *
 * <p>The archive is made by a JVM that runs the common commands once and writes the loaded classes when it exits. It
 * works only with this build of the JVM and these jars in their place; the JVM ignores any other archive. For this reason,
 * the distribution contains none.
 *
 * @param natives directory of the engine's libraries
 * @param archive the file of classes
 * @param archiveMegabytes its size
 * @param precision the faster precision for features, which recipes with {@code backbone.precision: auto} use from now on
 * @param rates images per second in both precisions
 * @param seconds that all this took
 */
record Preparation(
        String natives,
        String archive,
        long archiveMegabytes,
        Precision precision,
        PrecisionTrial rates,
        double seconds) {

    private static final String NEW = "gramian.jsa";

    /** Prepares, and replaces an earlier preparation. */
    static Preparation run(Launcher launcher) throws IOException {
        long start = System.nanoTime();
        String natives = Engine.describe().nativeCache();
        Path archive = launcher.archive().toAbsolutePath();
        // Next to its place, so that it can be moved there atomically.
        try (TemporaryFolder folder = TemporaryFolder.nextTo(archive)) {
            String options = System.getenv().getOrDefault("GRAMIAN_JAVA_OPTS", "");
            launcher.run(
                    folder.path(),
                    Map.of(
                            "GRAMIAN_ARCHIVE",
                            Launcher.NO_ARCHIVE,
                            "GRAMIAN_JAVA_OPTS",
                            options + " -XX:ArchiveClassesAtExit=" + NEW + " -Xlog:disable"),
                    List.of("rehearse", "."));
            Path made = folder.path().resolve(NEW);
            if (!Files.exists(made)) {
                throw new IOException("this Java writes no class archive; use OpenJDK 17 or newer, or omit --prepare");
            }
            String sum = PosixSum.of(made);
            Files.deleteIfExists(launcher.archiveSum());
            AtomicFile.publish(made, archive);
            AtomicFile.writeText(launcher.archiveSum(), sum + "\n");
        }
        PrecisionTrial rates = PrecisionTrial.run();
        Cpu.storeFastestPrecision(rates.faster());
        return new Preparation(
                natives,
                archive.toString(),
                Files.size(archive) >> 20,
                rates.faster(),
                rates,
                (System.nanoTime() - start) / 1e9);
    }
}
