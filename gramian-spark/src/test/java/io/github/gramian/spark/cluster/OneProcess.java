package io.github.gramian.spark.cluster;

import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.BatchPredictor;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A single process for the same images: describes all files of a folder with the library's own loader. Prints
 * seconds until it was warm, and seconds for the images; its environment sets the number of threads.
 */
final class OneProcess {

    private static final int WARM_UP = 64;

    private OneProcess() {}

    public static void main(String[] words) throws IOException {
        List<Path> files;
        try (Stream<Path> below = Files.walk(Path.of(words[1]))) {
            files = below.filter(Files::isRegularFile).sorted().toList();
        }
        try (BatchPredictor predictor = BatchPredictor.load(Path.of(words[0]))) {
            List<Reading> readings = new ArrayList<>();
            predictor.describe(
                    files.subList(0, Math.min(WARM_UP, files.size())), LoaderSettings.defaults(32), readings::add);
            long started = ManagementFactory.getRuntimeMXBean().getStartTime();
            long warm = System.currentTimeMillis();
            readings.clear();
            predictor.describe(files, LoaderSettings.defaults(32), readings::add);
            long end = System.currentTimeMillis();
            PrintStream out = System.out;
            out.println("MEASURED " + (warm - started) / 1e3 + " " + (end - warm) / 1e3 + " " + readings.size());
        }
    }
}
