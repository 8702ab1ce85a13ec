package io.github.gramian.cli.weights;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.weights.WeightsImport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian weights import}: published weights to one file that backbones load. */
@Command(
        name = "import",
        description = {"Converts published weights to a checked safetensors file.", "Nothing in the source is executed."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "Examples:", "  gramian weights import resnet50.pth --as resnet50 --out resnet50.safetensors"})
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class WeightsImportCommand extends WeightsTask {

    @Parameters(
            paramLabel = "SOURCE",
            description =
                    "Published weights: safetensors, PyTorch .pth, Keras .h5, or a tfjs layers model (directory or .tgz).")
    private Path source;

    @Option(
            names = "--as",
            required = true,
            paramLabel = "NAME",
            description =
                    "Architecture: vgg16 or 19; resnet18, 34, 50 or 101; convnext_tiny, _small or _base; vits14, vitb14 or vitl14.")
    private String architecture;

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "File to write.")
    private Path out;

    @Option(
            names = "--variant",
            paramLabel = "NAME",
            description = "Variant: torchvision, keras, keras-applications, dinov2, dinov2-registers or timm."
                    + " If missing, Gramian detects it.")
    private @Nullable String variant;

    @Option(names = "--licence", paramLabel = "TEXT", description = "Note on the weights' licence, stored in the file.")
    private @Nullable String licence;

    @Override
    void work(PrintWriter print) throws IOException {
        report(print, importing(source, architecture, variant, licence, out), out);
    }

    static WeightsImport.Report importing(
            Path source, String architecture, @Nullable String variant, @Nullable String licence, Path out)
            throws IOException {
        return WeightsImport.run(
                new WeightsImport.Request(
                        source,
                        Architecture.named(architecture),
                        variant == null ? null : Variant.named(variant),
                        licence),
                out);
    }

    static void report(PrintWriter print, WeightsImport.Report report, Path out) {
        print.println(String.format(
                Locale.ROOT,
                "%s: %s, %d tensors, %,d values, from %s (sha256 %s)",
                out,
                report.config().key(),
                report.tensors(),
                report.values(),
                report.sourceFormat(),
                report.sourceSha256()));
        if (!report.ignored().isEmpty()) {
            print.println(String.format(
                    Locale.ROOT,
                    "not weights, left out: %d (%s%s)",
                    report.ignored().size(),
                    report.ignored().get(0),
                    report.ignored().size() > 1 ? ", …" : ""));
        }
    }
}
