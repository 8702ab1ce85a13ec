package io.github.gramian.bench;

import io.github.gramian.bench.measure.BackboneBenchmark;
import io.github.gramian.cli.common.JsonOutput;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The backbone and the pipeline around it. */
@Command(
        name = "backbone",
        description = {
            "Features of ResNet-50 in bfloat16, from memory and from image files, beside a bare loop over LibTorch's",
            "functions in bfloat16 and in float."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  gramian bench backbone", "  gramian bench backbone --images photos/ --json"})
final class BenchBackboneCommand implements Callable<Integer> {

    private static final int MADE_UP = 48;

    @Option(names = "--images", description = "A folder of image files; without it, synthetic JPEG files are used.")
    private @Nullable Path images;

    @Option(names = "--batch", description = "Images at once (${DEFAULT-VALUE}).", defaultValue = "16")
    private int batch;

    @Option(names = "--batches", description = "Of each contender in a round (${DEFAULT-VALUE}).", defaultValue = "6")
    private int batches;

    @Option(names = "--rounds", description = "Measured rounds (${DEFAULT-VALUE}).", defaultValue = "5")
    private int rounds;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        BackboneBenchmark benchmark = new BackboneBenchmark(batch, batches, rounds);
        BackboneBenchmark.Result result =
                images == null ? onMadeUpImages(benchmark) : benchmark.run(filesBelow(images));
        if (json) {
            JsonOutput.print(out, result);
            return 0;
        }
        result.imagesPerSecond()
                .forEach((name, rate) -> out.println(String.format(Locale.ROOT, "%-14s %7.1f images/s", name, rate)));
        out.println(String.format(
                Locale.ROOT,
                "bfloat16 is %.1f × float; ours is %.2f of the bare loop, from files %.2f",
                result.bf16Speedup(),
                result.ratioToBare(),
                result.ratioFromFiles()));
        out.flush();
        return 0;
    }

    private static List<Path> filesBelow(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).sorted().limit(1000).toList();
        }
    }

    private static BackboneBenchmark.Result onMadeUpImages(BackboneBenchmark benchmark) throws IOException {
        try (SyntheticImages madeUp = SyntheticImages.write(MADE_UP)) {
            return benchmark.run(madeUp.files());
        }
    }
}
