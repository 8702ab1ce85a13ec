package io.github.gramian.onnx;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.github.gramian.cli.Subcommand;
import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.model.ModelArgument;
import io.github.gramian.io.internal.Text;
import io.github.gramian.onnx.parity.ParityReport;
import io.github.gramian.onnx.quantisation.QuantisationReport;
import io.github.gramian.onnx.runtime.Int8Target;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian export}: a trained model as an ONNX file. */
@Command(
        name = "export",
        description = {
            "Exports a trained model as an ONNX file.",
            "The file computes probabilities and the descriptor from pixels, or the map of scores of a photograph.",
            "Then reads the file back and runs images through it and through the model.",
            "If the file cannot be read or its results differ, no file is written."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian export runs/first --onnx model.onnx",
            "  gramian export runs/first --onnx model.onnx --pixels --images photos/ --json",
            "  gramian export runs/first --onnx model.onnx --int8 labelled/ --target vnni"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class ExportCommand extends PrintingCommand implements Subcommand {

    @Parameters(index = "0", paramLabel = "MODEL", description = "A model.gramian, or its run directory.")
    private Path given;

    @Option(names = "--onnx", required = true, paramLabel = "FILE", description = "File to write.")
    private Path target;

    @Option(
            names = "--pixels",
            description = "Let the file take 8-bit red, green and blue values and normalise them itself.")
    private boolean pixels;

    @Option(
            names = "--external-data",
            description = "Write the weights to FILE.data next to it, which loads faster and has no limit of 2 GB.")
    private boolean externalData;

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description = "Directory of images to compare on (default: a few synthetic ones).")
    private @Nullable Path images;

    @Option(
            names = "--tolerance",
            defaultValue = "1e-4",
            description =
                    "Maximum difference of a probability, or relative one of a score (default: ${DEFAULT-VALUE}).")
    private double tolerance;

    @Option(
            names = "--int8",
            paramLabel = "IMAGES",
            description =
                    "Quantise the backbone to 8 bits, calibrated on this directory with one subdirectory per class.")
    private @Nullable Path int8;

    @Option(
            names = "--target",
            paramLabel = "PROCESSOR",
            defaultValue = "auto",
            description = {
                "With --int8: kind of processor that will run the file, one of auto, avx2, vnni or amx.",
                "The value avx2 suits any processor; vnni and amx use the eighth bit of the weights.",
                "The value auto is the processor of this machine (default: ${DEFAULT-VALUE})."
            })
    private Target processor;

    @Option(
            names = "--most-loss",
            defaultValue = "0.5",
            description = "Maximum loss of accuracy through --int8, in percentage points (default: ${DEFAULT-VALUE}).")
    private double maxLoss;

    @Option(names = "--json", description = "Print the report as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = stdout();
        try {
            ExportReport report = export().to(target);
            print(report, out);
            report.notes().forEach(line -> stderr().println("note: " + line));
            stderr().flush();
        } catch (ParityException e) {
            print(e.report(), out);
            throw e;
        }
        return 0;
    }

    private OnnxExport export() {
        OnnxExport export = OnnxExport.of(ModelArgument.file(given)).withTolerance(tolerance);
        export = pixels ? export.withPixelInput() : export;
        export = externalData ? export.withExternalData() : export;
        export = images == null ? export : export.comparedOn(images);
        if (int8 == null && processor != Target.AUTO) {
            throw new IllegalArgumentException("--target needs --int8 IMAGES; files in float run on any processor");
        }
        return int8 == null ? export : export.withInt8(int8, maxLoss, processor.chosen());
    }

    private void print(ExportReport report, PrintWriter out) {
        ReportPrinter printer = new ReportPrinter(out);
        if (json) {
            printer.printJson(report);
        } else {
            printer.printText(report);
        }
    }

    /** Values of {@code --target}. */
    enum Target {
        AUTO,
        AVX2,
        VNNI,
        AMX;

        Int8Target chosen() {
            return this == AUTO ? Int8Target.ofThisMachine() : Int8Target.valueOf(name());
        }
    }

    /** Prints the report of {@code gramian export}. */
    private record ReportPrinter(PrintWriter out) {

        /** The members of the JSON object, in this order. */
        private record Members(
                @JsonUnwrapped ParityReport parity,

                @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
                QuantisationReport int8) {}

        void printJson(ExportReport report) {
            JsonOutput.print(out, new Members(report.parity(), report.int8().orElse(null)));
        }

        void printText(ExportReport report) {
            ParityReport parity = report.parity();
            out.println(Text.format("float: %.1f MB, opset %d", parity.bytes() / 1e6, parity.opset()));
            String rejected =
                    parity.rejected() == 0 ? "" : "; " + Text.count(parity.rejected(), "file") + " without an image";
            out.println(Text.format("compared on %s%s", Text.count(parity.images(), "image"), rejected));
            String values = parity.ofScores() ? "relative scores" : "probabilities";
            print("model in float", values, parity.toFloat());
            print("model in double", values, parity.toDouble());
            report.int8().ifPresent(int8 -> {
                out.println(Text.format(
                        "int8 for %s: activations of %d images observed, %d others classified",
                        int8.target().key(), int8.observed(), int8.images()));
                print("float", int8.inFloat());
                print("int8", int8.inInt8());
            });
            out.flush();
        }

        private void print(String against, String values, ParityReport.Difference difference) {
            out.println(Text.format(
                    "  against the %-16s %s differ by at most %.2g, %.2g on average; same class: %.2f %%",
                    against, values, difference.max(), difference.mean(), 100 * difference.topAgreement()));
        }

        private void print(String name, QuantisationReport.Measured measured) {
            out.println(Text.format(
                    "  %-6s %7.1f MB   %6.1f images/s   accuracy %.2f %%",
                    name, measured.bytes() / 1e6, measured.imagesPerSecond(), 100 * measured.accuracy()));
        }
    }
}
