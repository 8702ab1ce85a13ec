package io.github.gramian.onnx;

import io.github.gramian.cli.Subcommand;
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
import io.github.gramian.onnx.quantisation.Quantisation;
import io.github.gramian.onnx.quantisation.QuantisationReport;
import io.github.gramian.onnx.runtime.GraphSession;
import io.github.gramian.onnx.runtime.OnnxProvider;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
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
            "Then reads the file back and runs images through it and through the model.",
            "If the file cannot be read or its results differ, no file is written."
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

    @Option(names = "--pixels", description = "The file takes 8-bit red, green and blue and normalises them itself.")
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

    @Option(
            names = "--int8",
            paramLabel = "IMAGES",
            description =
                    "Round the backbone to 8 bits, as the labelled images in this folder (a folder a class) need it.")
    private @Nullable Path int8;

    @Option(
            names = "--most-loss",
            defaultValue = "0.5",
            description =
                    "With --int8: the most percentage points of accuracy that rounding may cost (${DEFAULT-VALUE}).")
    private double maxLoss;

    @Option(names = "--json", description = "Print the report as JSON.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        checkOptions();
        SampleImages samples =
                images == null ? SampleImages.madeUp(MADE_UP_IMAGES, new Seed(0)) : SampleImages.below(images);
        try (ModelFile file = ModelFile.open(ModelArgument.file(given))) {
            file.verify();
            Quantisation.@Nullable Images labelled = int8 == null
                    ? null
                    : Quantisation.Images.in(int8, file.description().classes());
            try (LoadedModel model = LoadedModel.of(file, Placement.cpu(Precision.FLOAT))) {
                Graph graph = model.graph(pixels);
                try (TemporaryFolder temporary = TemporaryFolder.beside(target)) {
                    Path written = written(temporary.path(), "float");
                    write(graph, model.about(), written);
                    ParityReport parity = Parity.of(written, pixels, file, model, samples);
                    if (labelled == null || !parity.within(tolerance)) {
                        ReadBack.require(written, target, file.description().classes());
                        print(new ExportReport(parity, null));
                        require(parity);
                        publish(written);
                    } else {
                        publish(rounded(model, graph, parity, labelled, temporary.path()));
                    }
                }
            }
        }
        return 0;
    }

    private void checkOptions() throws IOException {
        if (!(tolerance > 0 && tolerance <= 1)) {
            throw new IllegalArgumentException("--tolerance must lie in (0, 1] but is " + tolerance);
        }
        if (!(maxLoss >= 0 && maxLoss <= 100)) {
            throw new IllegalArgumentException("--most-loss must lie in 0..100 but is " + maxLoss);
        }
        if (Files.isDirectory(target)) {
            throw new IllegalArgumentException(target + " is a folder; name the file to write, such as model.onnx");
        }
        if (!new OnnxProvider().reads(target)) {
            throw new IllegalArgumentException("--onnx " + target
                    + " must end with .onnx: predict and serve recognise exported models by this ending");
        }
        GraphSession.requireName(target);
    }

    private void require(ParityReport parity) throws ParityException {
        if (!parity.within(tolerance)) {
            throw new ParityException(String.format(
                    Locale.ROOT,
                    "%s was not kept: a probability differs from the model's by %.2g where --tolerance allows %.2g,"
                            + " and %.4g of the images have the same class; report this with the model, or allow more",
                    target,
                    parity.toFloat().max(),
                    tolerance,
                    parity.toFloat().topAgreement()));
        }
    }

    /** The file with a rounded backbone, if it is accurate enough. */
    private Path rounded(LoadedModel model, Graph graph, ParityReport parity, Quantisation.Images labelled, Path folder)
            throws IOException {
        Path inFloat = written(folder, "float");
        Path inInt8 = written(folder, "int8");
        Quantisation quantisation =
                new Quantisation(graph, model.about(), model.description().preprocessing(), pixels);
        Quantisation.Rounded rounded = quantisation.rounded(labelled, folder.resolve("probes"));
        write(rounded.graph(), model.about(), inInt8);
        QuantisationReport report = quantisation.compared(inFloat, inInt8, labelled, rounded.observed());
        ReadBack.require(inInt8, target, model.description().classes());
        print(new ExportReport(parity, report));
        if (!report.within(maxLoss)) {
            throw new ParityException(String.format(
                    Locale.ROOT,
                    "%s was not kept: int8 costs %.2f points of accuracy where --most-loss allows %.2f; export without"
                            + " --int8, or allow more",
                    target,
                    report.loss(),
                    maxLoss));
        }
        return inInt8;
    }

    /** The file before it has its place: a folder for each, since they refer to their data by the name alone. */
    private Path written(Path folder, String kind) {
        return folder.resolve(kind).resolve(target.getFileName());
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

    private void print(ExportReport report) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            report.printJson(out);
        } else {
            report.printText(out);
        }
    }
}
