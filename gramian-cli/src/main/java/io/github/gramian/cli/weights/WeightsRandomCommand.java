package io.github.gramian.cli.weights;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.internal.Blueprint;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code gramian weights random}: weights to try the tool out with. */
@Command(
        name = "random",
        description = "Writes random weights, to try the commands.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "Examples:", "  gramian weights random --as resnet18 --out trial.safetensors"})
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class WeightsRandomCommand extends WeightsTask {

    @Option(
            names = "--as",
            required = true,
            paramLabel = "NAME",
            description = "Architecture, such as resnet50, convnext_tiny or vits14.")
    private String architecture;

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "File to write.")
    private Path out;

    @Option(
            names = "--seed",
            defaultValue = "0",
            description = "Random seed of the weights (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Override
    void work(PrintWriter print) throws IOException {
        Architecture known = Architecture.named(architecture);
        int classes = Blueprint.of(known).classifier().isEmpty() ? 0 : 1000;
        BackboneConfig config = new BackboneConfig(known, known.variants().get(0), classes);
        WeightsFile.writeRandom(out, config, new Seed(seed));
        print.println(out + ": " + config.key() + " with random weights");
    }
}
