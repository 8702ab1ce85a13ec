package io.github.gramian.bench;

import io.github.gramian.bench.measure.PhotoBenchmark;
import io.github.gramian.cli.common.JsonOutput;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** From photographs of many megapixels to predictions. */
@Command(
        name = "photos",
        description = {
            "Synthetic JPEGs of 12 megapixels to predictions of ResNet-50 in bfloat16: reduced while they are decoded,",
            "beside decoding and resizing every pixel."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  gramian bench photos", "  gramian bench photos --images 64 --json"})
final class BenchPhotosCommand implements Callable<Integer> {

    @Option(names = "--images", description = "In a round (${DEFAULT-VALUE}).", defaultValue = "32")
    private int images;

    @Option(names = "--width", description = "Of a photograph, in pixels (${DEFAULT-VALUE}).", defaultValue = "4000")
    private int width;

    @Option(names = "--height", description = "Of a photograph, in pixels (${DEFAULT-VALUE}).", defaultValue = "3000")
    private int height;

    @Option(names = "--batch", description = "Images at once (${DEFAULT-VALUE}).", defaultValue = "8")
    private int batch;

    @Option(names = "--rounds", description = "Measured rounds (${DEFAULT-VALUE}).", defaultValue = "5")
    private int rounds;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        try (SyntheticPhotographs photographs = SyntheticPhotographs.write(images, width, height)) {
            PhotoBenchmark.Result result = new PhotoBenchmark(batch, rounds)
                    .run(photographs.files(), photographs.folder().path());
            PrintWriter out = spec.commandLine().getOut();
            if (json) {
                JsonOutput.print(out, result);
                return 0;
            }
            out.println(String.format(
                    Locale.ROOT,
                    "%.1f photographs/s, %.2f × as many as with every pixel decoded; decoding takes %.0f %% of the cores' time",
                    result.imagesPerSecond(),
                    result.speedupOverFull(),
                    100 * result.decodeShare()));
            out.println(String.format(
                    Locale.ROOT,
                    "decoding and resizing one on one core: %.0f ms, every pixel: %.0f ms",
                    result.decodeMillis(),
                    result.decodeMillisInFull()));
            out.println(String.format(
                    Locale.ROOT,
                    "the network's input differs by %.2f grey levels of 255 in the mean",
                    result.inputDifference()));
            out.flush();
            return 0;
        }
    }
}
