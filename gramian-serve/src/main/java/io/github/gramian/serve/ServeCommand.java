package io.github.gramian.serve;

import io.github.gramian.cli.Subcommand;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.serve.http.internal.GramianServer;
import io.github.gramian.serve.http.internal.ServerSettings;
import io.github.gramian.serve.model.internal.ServedModel;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian serve}: answers requests for predictions over HTTP until it is asked to end. */
@Command(
        name = "serve",
        description = {
            "Serves models over HTTP.",
            "Offers the Open Inference Protocol v2, POST /predict, and a page at /. With --index, POST /similar finds"
                    + " similar photographs.",
            "On SIGTERM or Ctrl-C, it answers every accepted request before it ends."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian serve runs/first",
            "  gramian serve fabrics=runs/first fabrics:2=runs/second --host 0.0.0.0 --api-keys keys.txt",
            "  gramian serve runs/first --index photos.index",
            "  gramian serve --config serve.yaml --check",
            "  curl -F image=@photo.jpg http://127.0.0.1:8080/predict"
        })
public final class ServeCommand extends PrintingCommand implements Subcommand {

    @Parameters(
            arity = "0..*",
            paramLabel = "MODEL",
            description = "Model file or run directory; name=MODEL or name:version=MODEL to name it.")
    private List<String> models = new ArrayList<>();

    @Option(
            names = "--index",
            paramLabel = "INDEX",
            description =
                    "Directory from 'gramian index', which POST /similar searches. It must have been built with one"
                            + " of the models. The server opens it again when it changes.")
    private @Nullable Path index;

    @Option(names = "--config", paramLabel = "FILE", description = "Settings in YAML, which options override.")
    private @Nullable Path config;

    @Option(
            names = "--host",
            description = "Address to listen on; 0.0.0.0 for all networks (default: 127.0.0.1, only this machine).")
    private @Nullable String host;

    @Option(names = "--port", description = "Port to listen on; 0 for any free port (default: 8080).")
    private @Nullable Integer port;

    @Option(names = "--batch", description = "Maximum number of images per batch (default: 16).")
    private @Nullable Integer batch;

    @Option(
            names = "--queue",
            description = "Maximum number of waiting images; if the queue is full, a request gets 429 (default: 64).")
    private @Nullable Integer queue;

    @Option(
            names = "--deadline",
            paramLabel = "MILLIS",
            description = "Maximum waiting time; a request that waits longer gets 504 (default: 5000).")
    private @Nullable Integer deadline;

    @Option(
            names = "--drain",
            paramLabel = "SECONDS",
            description =
                    "Seconds between SIGTERM, when the server reports that it is not ready, and the end of new connections (default: 5).")
    private @Nullable Integer drain;

    @Option(names = "--api-keys", paramLabel = "FILE", description = "File with one line name:key per client.")
    private @Nullable Path apiKeys;

    @Option(
            names = "--allow-host",
            paramLabel = "NAME",
            description = "Host name to answer for, in addition to localhost and IP addresses; repeatable.")
    private List<String> hosts = new ArrayList<>();

    @Option(
            names = "--allow-origin",
            paramLabel = "ORIGIN",
            description = "Accept requests from pages of this origin, such as https://app.example.com; repeatable.")
    private List<String> origins = new ArrayList<>();

    @Option(names = "--tls-certificates", paramLabel = "FILE", description = "File with the certificate chain, PEM.")
    private @Nullable Path tlsCertificates;

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "File with the key of the certificate, PEM (PKCS#8).")
    private @Nullable Path tlsKey;

    @Option(
            names = "--access-log",
            paramLabel = "FILE",
            description = "File for one line of JSON per request; - for standard output.")
    private @Nullable String accessLog;

    @Option(names = "--watch", description = "Reload a model when its file is replaced.")
    private boolean watch;

    @Option(names = "--allow-load", description = "Reload a model on POST /v2/repository/models/NAME/load.")
    private boolean allowLoad;

    @Option(names = "--no-page", description = "Do not serve the page at /.")
    private boolean noPage;

    @Option(names = "--check", description = "Check settings and files, load the models, print the result, and exit.")
    private boolean check;

    @Override
    public Integer call() throws IOException, InterruptedException {
        TimedLine.install();
        ServeFile file = config == null ? new ServeFile() : ServeFile.read(config);
        overwrite(file);
        ServerSettings settings = ServeSettings.of(file);
        PrintWriter out = stdout();
        try (LineFile log = LineFile.of(file.accessLog, out)) {
            if (check) {
                try (GramianServer server = GramianServer.prepare(settings, log)) {
                    describe(server, settings, out);
                    return 0;
                }
            }
            long start = System.nanoTime();
            GramianServer server = GramianServer.start(settings, log);
            describe(server, settings, stderr());
            out.println(
                    "ready at " + server.address() + " after " + Math.round((System.nanoTime() - start) / 1e6) + " ms");
            out.flush();
            new GracefulShutdown(server, log, stderr()).await();
            return 0;
        }
    }

    private ServeFile.@Nullable Tls tls(ServeFile.@Nullable Tls inFile) {
        if (tlsCertificates == null && tlsKey == null) {
            return inFile;
        }
        ServeFile.Tls files = inFile == null ? new ServeFile.Tls() : inFile;
        files.certificates = first(tlsCertificates, files.certificates);
        files.key = first(tlsKey, files.key);
        return files;
    }

    /** Options of the command line take precedence over the file. */
    private void overwrite(ServeFile file) {
        file.models = models.isEmpty() ? file.models : models;
        file.host = first(host, file.host);
        file.port = first(port, file.port);
        file.batch.size = first(batch, file.batch.size);
        file.batch.queue = first(queue, file.batch.queue);
        file.deadlineMillis = first(deadline, file.deadlineMillis);
        file.drainSeconds = first(drain, file.drainSeconds);
        file.apiKeys = first(apiKeys, file.apiKeys);
        file.hosts = hosts.isEmpty() ? file.hosts : hosts;
        file.origins = origins.isEmpty() ? file.origins : origins;
        file.tls = tls(file.tls);
        file.index = first(index, file.index);
        file.accessLog = first(accessLog, file.accessLog);
        file.page = noPage ? Boolean.FALSE : file.page;
        file.watch = watch ? Boolean.TRUE : file.watch;
        file.allowLoad = allowLoad ? Boolean.TRUE : file.allowLoad;
    }

    private static <T> @Nullable T first(@Nullable T one, @Nullable T other) {
        return one == null ? other : one;
    }

    private static void describe(GramianServer server, ServerSettings settings, PrintWriter out) throws IOException {
        for (ServedModel model : server.models().all()) {
            out.println(model.spec() + ": " + model.spec().file() + ", "
                    + model.predictor().classes().size() + " classes, descriptors of "
                    + model.predictor().descriptorLength() + " dimensions, batches up to "
                    + model.batcher().limits().size());
        }
        server.index()
                .ifPresent(index -> out.println("index " + index.path() + ": "
                        + Numbers.count(index.count(), "photograph") + " of "
                        + server.models().all().stream()
                                .filter(index::isOf)
                                .map(model -> model.spec().toString())
                                .collect(Collectors.joining(", "))));
        boolean everyone = !InetAddress.getByName(settings.address().host()).isLoopbackAddress();
        boolean open = settings.access().keys().isEmpty();
        out.println("listens at " + settings.address().host() + ":"
                + settings.address().port()
                + (settings.access().tls().isPresent() ? ", TLS" : ", not encrypted")
                + (open
                        ? ", no keys"
                        : ", keys from " + settings.access().keys().get()));
        if (everyone && open) {
            out.println(
                    "anyone who can reach this port can use the models; set --api-keys, or restrict access to the port");
        }
        OpenFiles.warning(settings.http().connections()).ifPresent(out::println);
        out.flush();
    }
}
