package io.github.gramian.cli.weights;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.backbone.weights.WeightsImport;
import io.github.gramian.backbone.weights.internal.WeightsDownload;
import io.github.gramian.cli.common.TextFile;
import io.github.gramian.io.internal.AtomicFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
final class WeightsPullCommand extends WeightsTask {

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

    @Option(names = "--licence", paramLabel = "TEXT", description = "Note on the weights' licence, stored in the file.")
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
                WeightsImport.Report report =
                        WeightsImportCommand.importing(fetched, architecture, variant, licence, out);
                WeightsImportCommand.report(print, report, out);
            }
        } finally {
            Files.deleteIfExists(fetched);
        }
    }

    private void adopt(Architecture known, Path fetched) throws IOException {
        try (WeightsFile file = WeightsFile.open(fetched)) {
            if (file.config().architecture() != known) {
                throw new IllegalArgumentException("the address gave weights of "
                        + file.config().architecture().key() + " instead of " + known.key() + "; check the address");
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
            throw new IllegalArgumentException("give --from URL and --sha256 HEX, or --sources FILE with " + known.key()
                    + ".url and " + known.key() + ".sha256; nothing is downloaded from anywhere else");
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
