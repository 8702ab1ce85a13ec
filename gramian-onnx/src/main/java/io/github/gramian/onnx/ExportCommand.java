package io.github.gramian.onnx;

import io.github.gramian.cli.Subcommand;
import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.TemporaryFolder;
import io.github.gramian.cli.model.ModelArgument;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.model.ModelFile;
import io.github.gramian.onnx.export.LoadedModel;
import io.github.gramian.onnx.graph.Graph;
import io.github.gramian.onnx.graph.OnnxFile;
import io.github.gramian.onnx.parity.Parity;
import io.github.gramian.onnx.parity.ParityException;
import io.github.gramian.onnx.parity.ParityReport;
import io.github.gramian.onnx.parity.SampleImages;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code gramian export}: a trained model as an ONNX file. */
@Command(
        name = "export",
        description = {
            "Writes a trained model as an ONNX file, from pixels to probabilities and descriptor.",
            "Then runs images through the file and through the model; a file that differs is not kept."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian export runs/first --onnx model.onnx",
            "  gramian export runs/first --onnx model.onnx --pixels --images photos/ --json"
        })
public final class ExportCommand implements Callable<Integer>, Subcommand {

    private static final int MADE_UP_IMAGES = 8;

    @Parameters(index = "0", paramLabel = "MODEL", description = "A model.gramian, or the folder of its run.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path given;

    @Option(names = "--onnx", required = true, paramLabel = "FILE", description = "The file to write.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path target;

    @Option(
            names = "--pixels",
            description = "The file takes 8-bit red, green and blue and normalises them itself.")
    private boolean pixels;

    @Option(
            names = "--external-data",
            description = "Weights go to FILE.data beside it: loads faster, and has no limit of 2 GB.")
    private boolean externalData;

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description = "Compare on the images in this folder. Without it, on a few that are made up.")
    private @Nullable Path images;

    @Option(
            names = "--tolerance",
            defaultValue = "1e-4",
            description = "The most that a probability may differ (${DEFAULT-VALUE}).")
    private double tolerance;

    @Option(names = "--json", description = "Print the report as JSON.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (!(tolerance > 0 && tolerance <= 1)) {
            throw new IllegalArgumentException("--tolerance must lie in (0, 1] but is " + tolerance);
        }
        if (Files.isDirectory(target)) {
            throw new IllegalArgumentException(target + " is a folder; name the file to write, such as model.onnx");
        }
        SampleImages samples =
                images == null ? SampleImages.madeUp(MADE_UP_IMAGES, new Seed(0)) : SampleImages.below(images);
        Path folder = Objects.requireNonNull(target.toAbsolutePath().getParent());
        try (ModelFile file = ModelFile.open(ModelArgument.file(given))) {
            file.verify();
            try (LoadedModel model = LoadedModel.of(file, Placement.cpu(Precision.FLOAT));
                    TemporaryFolder temporary = TemporaryFolder.in(folder)) {
                Path written = temporary.path().resolve(target.getFileName());
                write(model.graph(pixels), model.about(), written);
                ParityReport report = Parity.of(written, pixels, file, model, samples);
                print(report);
                if (!report.within(tolerance)) {
                    throw new ParityException(String.format(
                            Locale.ROOT,
                            "%s was not kept: a probability differs from the model's by %.2g where --tolerance allows %.2g,"
                                    + " and %.4g of the images have the same class; report this with the model, or allow more",
                            target,
                            report.toFloat().max(),
                            tolerance,
                            report.toFloat().topAgreement()));
                }
                publish(written);
            }
        }
        return 0;
    }

    private void write(Graph graph, OnnxFile.About about, Path file) throws IOException {
        if (externalData) {
            OnnxFile.writeExternal(file, graph, about);
        } else {
            OnnxFile.write(file, graph, about);
        }
    }

    /** Gives the files their names. In between there is no model rather than one with another's weights. */
    private void publish(Path written) throws IOException {
        if (externalData) {
            Files.deleteIfExists(target);
            AtomicFile.publish(OnnxFile.dataOf(written), OnnxFile.dataOf(target));
        }
        AtomicFile.publish(written, target);
    }

    private void print(ParityReport report) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            JsonOutput.print(out, report);
            return;
        }
        out.println(String.format(
                Locale.ROOT,
                "%s  %.1f MB, opset %d",
                target,
                report.bytes() / 1e6,
                report.opset()));
        out.println(String.format(
                Locale.ROOT,
                "compared on %d %s%s",
                report.images(),
                images == null ? "made-up images" : "images",
                report.rejected() == 0 ? "" : "; " + report.rejected() + " files were not images"));
        line(out, "model in float", report.toFloat());
        line(out, "model in double", report.toDouble());
        out.flush();
    }

    private static void line(PrintWriter out, String against, ParityReport.Difference difference) {
        out.println(String.format(
                Locale.ROOT,
                "  against the %-16s probabilities differ by at most %.2g, %.2g on average; same class: %.2f %%",
                against,
                difference.max(),
                difference.mean(),
                100 * difference.topAgreement()));
    }
}
