package io.github.gramian.bench;

import io.github.gramian.check.internal.Rounds;
import io.github.gramian.cli.common.Launcher;
import io.github.gramian.io.internal.TemporaryFolder;
import io.github.gramian.tensor.internal.StartupTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * {@code gramian predict} on one image in a new process, from its start to its end: what a user waits for.
 *
 * @param launcher of the distribution that is measured
 * @param model that predicts
 * @param image that it sees
 */
record ColdStart(Launcher launcher, Path model, Path image) {

    private static final String TRACE = "trace";

    /**
     * One start.
     *
     * @param total milliseconds from start to end of the process
     * @param parts milliseconds before each startup trace point, since the one before
     * @param end milliseconds from the printed prediction to the end of the process
     */
    record Start(double total, Map<StartupTrace, Double> parts, double end) {}

    /**
     * Several starts alike.
     *
     * @param median milliseconds from start to end of the process
     * @param fastest of them
     * @param slowest of them
     * @param parts medians of the milliseconds before each startup trace point
     * @param end median of the milliseconds after the last
     */
    record Summary(double median, double fastest, double slowest, Map<StartupTrace, Double> parts, double end) {

        static Summary of(List<Start> starts) {
            double[] totals = starts.stream().mapToDouble(Start::total).sorted().toArray();
            Map<StartupTrace, Double> parts = new EnumMap<>(StartupTrace.class);
            for (StartupTrace point : StartupTrace.values()) {
                parts.put(
                        point,
                        Rounds.median(starts.stream()
                                .mapToDouble(start -> start.parts().getOrDefault(point, 0.0))
                                .toArray()));
            }
            return new Summary(
                    Rounds.median(totals),
                    totals[0],
                    totals[totals.length - 1],
                    parts,
                    Rounds.median(starts.stream().mapToDouble(Start::end).toArray()));
        }
    }

    /** Starts it once, with the archive of classes or without. */
    Start once(boolean withArchive) throws IOException {
        try (TemporaryFolder folder = TemporaryFolder.create()) {
            String options = System.getenv().getOrDefault("GRAMIAN_JAVA_OPTS", "");
            Map<String, String> environment = Map.of(
                    "GRAMIAN_ARCHIVE",
                    withArchive ? launcher.archive().toString() : Launcher.NO_ARCHIVE,
                    "GRAMIAN_JAVA_OPTS",
                    options + " -D" + StartupTrace.TRACE + "=" + TRACE);
            List<String> words = List.of(
                    "predict",
                    model.toAbsolutePath().toString(),
                    image.toAbsolutePath().toString(),
                    "--quiet");
            long start = StartupTrace.micros();
            launcher.run(folder.path(), environment, words);
            long end = StartupTrace.micros();
            return start(start, StartupTrace.read(folder.path().resolve(TRACE)), end);
        }
    }

    /** The parts between moments, all in microseconds since 1970. */
    static Start start(long start, Map<StartupTrace, Long> reached, long end) {
        List<StartupTrace> passed = new ArrayList<>(reached.keySet());
        passed.sort(Comparator.comparing(point -> reached.getOrDefault(point, 0L)));
        Map<StartupTrace, Double> parts = new EnumMap<>(StartupTrace.class);
        long last = start;
        for (StartupTrace point : passed) {
            long now = reached.getOrDefault(point, last);
            parts.put(point, (now - last) / 1e3);
            last = now;
        }
        return new Start((end - start) / 1e3, parts, (end - last) / 1e3);
    }

    boolean hasArchive() {
        return Files.isReadable(launcher.archive());
    }
}
