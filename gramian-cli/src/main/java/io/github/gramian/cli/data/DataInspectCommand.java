package io.github.gramian.cli.data;

import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.Progress;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.inspect.internal.Inspection;
import io.github.gramian.dataset.inspect.internal.Inspector;
import io.github.gramian.dataset.internal.Protocol;
import io.github.gramian.dataset.internal.Validation;
import io.github.gramian.dataset.layout.internal.Layout;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.tensor.Seed;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code gramian data inspect}: counts, sizes, broken files and leakage of a dataset. */
@Command(
        name = "inspect",
        description = {
            "Checks the images and splits of a dataset.",
            "Prints counts, image sizes, broken files, and test images that training has seen."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian data inspect --root photos/",
            "  gramian data inspect --dataset dtd --root dtd/ --split 1 --strict --json"
        })
final class DataInspectCommand extends PrintingCommand {

    private static final int FINE = 0;
    private static final int FAILED_CHECK = 1;

    @Option(names = "--root", required = true, description = "Directory of the dataset, or a CSV manifest.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path root;

    @Option(
            names = "--dataset",
            description = "Layout of the dataset: dtd, fmd, kth-tips, kth-tips-2b, cub,"
                    + " aircraft[-variant|-family|-manufacturer], folders, tree or csv. If missing, Gramian"
                    + " detects it.")
    private @Nullable String layoutName;

    @Option(
            names = "--protocol",
            description =
                    "Evaluation protocol: standard, paper or another that the dataset offers (default: as released).")
    private @Nullable String protocolName;

    @Option(
            names = "--split",
            defaultValue = "1",
            description = "Number of the split, starting at 1 (default: ${DEFAULT-VALUE}).")
    private int split;

    @Option(names = "--seed", defaultValue = "0", description = "Random seed of splits (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--groups",
            paramLabel = "REGEX",
            description =
                    "Regular expression whose first capture group, matched against an image's path, names the object"
                            + " that it shows. Images of one object are never divided between training and test.")
    private @Nullable String groups;

    @Option(
            names = "--validation",
            description = "Fraction of the training images to hold out for validation where the dataset has none.")
    private @Nullable Double validationShare;

    @Option(names = "--threads", description = "Number of threads that decode images (default: one per core).")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(names = "--strict", description = "Exit with 1 if a file is broken or a test image was seen in training.")
    private boolean strict;

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Override
    public Integer call() {
        Dataset dataset = open();
        Inspector inspector = new Inspector(ImageDecoder.forLocalFiles(), threads);
        PrintWriter err = stderr();
        Inspection inspection;
        try (Progress progress =
                new Progress("reading", "files", dataset.samples().size(), err, quiet || json)) {
            inspection = inspector.inspect(dataset, (done, total) -> progress.done(done));
        }
        print(inspection);
        return strict && !inspection.clean() ? FAILED_CHECK : FINE;
    }

    private Dataset open() {
        Layout layout = layoutName == null ? Layouts.detect(root) : Layouts.named(layoutName);
        Protocol protocol = protocolName == null ? layout.released() : layout.protocol(protocolName);
        if (validationShare != null) {
            protocol = protocol.withValidation(new Validation.Carved(validationShare));
        }
        return layout.open(root, protocol, split, new Seed(seed), groups);
    }

    private void print(Inspection inspection) {
        PrintWriter out = stdout();
        if (json) {
            JsonOutput.print(out, InspectionText.toMap(inspection));
        } else {
            InspectionText.print(inspection, out);
        }
    }
}
