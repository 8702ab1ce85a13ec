package io.github.gramian.cli.weights;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Tap;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.internal.Blueprint;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.backbone.weights.WeightsImport;
import io.github.gramian.backbone.weights.internal.WeightsDescription;
import io.github.gramian.backbone.weights.internal.WeightsDownload;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.TextFile;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Text;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian weights …}: from published weights to files that backbones load. */
@Command(
        name = "weights",
        description = "Imports, describes and downloads weights of backbones.",
        mixinStandardHelpOptions = true,
        subcommands = {
            WeightsCommand.Import.class,
            WeightsCommand.Show.class,
            WeightsCommand.Pull.class,
            WeightsCommand.Random.class
        })
public final class WeightsCommand extends PrintingCommand {

    @Override
    public Integer call() {
        throw new CommandLine.ParameterException(
                spec().commandLine(), "missing subcommand; available: import, show, pull, random");
    }

    /** Base of the weights commands, which print to standard output and have no other result. */
    abstract static class Task extends PrintingCommand {

        abstract void work(PrintWriter out) throws IOException, InterruptedException;

        @Override
        public final Integer call() throws IOException, InterruptedException {
            work(stdout());
            stdout().flush();
            return 0;
        }
    }

    /** {@code gramian weights import}: published weights to one file that backbones load. */
    @Command(
            name = "import",
            description = {
                "Converts published weights to a checked safetensors file.",
                "Nothing in the source is executed."
            },
            mixinStandardHelpOptions = true,
            sortOptions = false,
            footer = {"", "Examples:", "  gramian weights import resnet50.pth --as resnet50 --out resnet50.safetensors"
            })
    @SuppressWarnings("NullAway.Init") // picocli sets the fields
    static final class Import extends Task {

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

        @Option(
                names = "--licence",
                paramLabel = "TEXT",
                description = "Note on the weights' licence, stored in the file.")
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
            print.println(Text.format(
                    "%s: %s, %d tensors, %,d values, from %s (sha256 %s)",
                    out,
                    report.config().key(),
                    report.tensors(),
                    report.values(),
                    report.sourceFormat(),
                    report.sourceSha256()));
            if (!report.ignored().isEmpty()) {
                print.println(Text.format(
                        "not weights, left out: %d (%s%s)",
                        report.ignored().size(),
                        report.ignored().get(0),
                        report.ignored().size() > 1 ? ", …" : ""));
            }
        }
    }

    /** {@code gramian weights show}: what a weights file holds. */
    @Command(
            name = "show",
            description = "Describes a weights file of any known format.",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            footer = {
                "",
                "Examples:",
                "  gramian weights show resnet50.safetensors",
                "  gramian weights show resnet50.safetensors --json"
            })
    static final class Show extends Task {

        @Parameters(paramLabel = "FILE", description = "Weights file, or any file that import reads.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private Path file;

        @Option(names = "--json", description = "Print the result as JSON, with every tensor.")
        private boolean json;

        @Option(names = "--tensors", description = "List every tensor.")
        private boolean tensors;

        @Override
        void work(PrintWriter out) throws IOException {
            WeightsDescription description = WeightsDescription.of(file);
            print(json, () -> toMap(description), text -> print(text, description));
        }

        private static Map<String, Object> toMap(WeightsDescription description) {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("format", description.format());
            map.put("network", description.network());
            map.put("sha256", description.sha256());
            map.put("numbers", description.valueCount());
            map.put("metadata", description.metadata());
            map.put("taps", description.taps());
            map.put("tensors", description.weights());
            return map;
        }

        private void print(PrintWriter out, WeightsDescription description) {
            out.println("format   " + description.format());
            if (!description.network().isEmpty()) {
                out.println("network  " + description.network());
            }
            out.println("sha256   " + description.sha256());
            out.printf(
                    Locale.ROOT,
                    "tensors  %d, %,d values%n",
                    description.weights().size(),
                    description.valueCount());
            description.metadata().forEach((key, value) -> out.println("  " + key + ": " + value));
            if (!description.taps().isEmpty()) {
                out.println("layers to take features from (channels, stride):");
                for (Tap tap : description.taps()) {
                    String stride = tap.stride() == 0 ? "vector" : "1/" + tap.stride();
                    out.println(Text.format("  %-9s %5d  %s", tap.name(), tap.channels(), stride));
                }
            }
            if (tensors) {
                for (WeightsDescription.Weight weight : description.weights()) {
                    out.println("  " + weight.name() + " " + weight.type() + weight.shape());
                }
            }
        }
    }

    /** {@code gramian weights pull}: the one command that uses the network, and only with an address from the user. */
    @Command(
            name = "pull",
            description = {
                "Downloads, verifies and imports published weights.",
                "You provide the address and the SHA-256.",
                "An interrupted transfer continues where it stopped."
            },
            mixinStandardHelpOptions = true,
            sortOptions = false,
            footer = {
                "",
                "Examples:",
                "  gramian weights pull resnet50 --from https://example.org/resnet50.pth --sha256 HEX --out resnet50.safetensors"
            })
    @SuppressWarnings("NullAway.Init") // picocli sets the fields
    static final class Pull extends Task {

        private static final long PAUSE = TimeUnit.SECONDS.toNanos(3);

        @Parameters(paramLabel = "NAME", description = "Architecture, such as resnet50, convnext_tiny or vits14.")
        private String architecture;

        @Option(names = "--from", paramLabel = "URL", description = "Address of the published weights.")
        private @Nullable URI address;

        @Option(names = "--sha256", paramLabel = "HEX", description = "SHA-256 of the published file.")
        private @Nullable String sha256;

        @Option(
                names = "--sources",
                paramLabel = "FILE",
                description = "Properties file with NAME.url and NAME.sha256, instead of --from and --sha256.")
        private @Nullable Path sources;

        @Option(names = "--out", required = true, paramLabel = "FILE", description = "Weights file to write.")
        private Path out;

        @Option(
                names = "--variant",
                paramLabel = "NAME",
                description = "Variant, as for import. If missing, Gramian detects it.")
        private @Nullable String variant;

        @Option(
                names = "--licence",
                paramLabel = "TEXT",
                description = "Note on the weights' licence, stored in the file.")
        private @Nullable String licence;

        @Option(
                names = "--max-bytes",
                defaultValue = "8000000000",
                description = "Maximum number of bytes to download (default: ${DEFAULT-VALUE}).")
        private long maxBytes;

        @Override
        void work(PrintWriter print) throws IOException, InterruptedException {
            Architecture known = Architecture.named(architecture);
            Path file = AtomicFile.target(out);
            Path fetched = file.resolveSibling("." + file.getFileName() + ".fetched");
            WeightsDownload.fetch(request(known, fetched), new Lines());
            try {
                if (WeightsFile.isOne(fetched)) {
                    adopt(known, fetched);
                    print.println(out + ": stored unchanged, since it is already a Gramian weights file");
                } else {
                    WeightsImport.Report report = Import.importing(fetched, architecture, variant, licence, out);
                    Import.report(print, report, out);
                }
            } finally {
                Files.deleteIfExists(fetched);
            }
        }

        private void adopt(Architecture known, Path fetched) throws IOException {
            try (WeightsFile file = WeightsFile.open(fetched)) {
                if (file.config().architecture() != known) {
                    throw new IllegalArgumentException("the address gave weights of "
                            + file.config().architecture().key() + " instead of " + known.key()
                            + "; check the address");
                }
            }
            AtomicFile.publish(fetched, out);
        }

        private WeightsDownload.Request request(Architecture known, Path target) throws IOException {
            URI from = address;
            String hash = sha256;
            if (sources != null) {
                Properties configured = new Properties();
                configured.load(new StringReader(TextFile.read(sources)));
                String url = configured.getProperty(known.key() + ".url");
                from = from == null && url != null ? URI.create(url.strip()) : from;
                String noted = configured.getProperty(known.key() + ".sha256");
                hash = hash == null && noted != null ? noted.strip() : hash;
            }
            if (from == null || hash == null) {
                throw new IllegalArgumentException(
                        "give --from URL and --sha256 HEX, or --sources FILE with " + known.key() + ".url and "
                                + known.key() + ".sha256; nothing is downloaded from anywhere else");
            }
            return new WeightsDownload.Request(from, hash, target, maxBytes);
        }

        /** A line every few seconds. */
        private final class Lines implements WeightsDownload.Progress {

            private long lastReport = System.nanoTime();

            @Override
            public void at(long done, long total) {
                if (System.nanoTime() - lastReport > PAUSE) {
                    lastReport = System.nanoTime();
                    stderr().println("fetched " + (done >> 20) + (total < 0 ? "" : " of " + (total >> 20)) + " MB");
                    stderr().flush();
                }
            }
        }
    }

    /** {@code gramian weights random}: weights to try the tool out with. */
    @Command(
            name = "random",
            description = "Writes random weights, to try the commands.",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            footer = {"", "Examples:", "  gramian weights random --as resnet18 --out trial.safetensors"})
    @SuppressWarnings("NullAway.Init") // picocli sets the fields
    static final class Random extends Task {

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
}
