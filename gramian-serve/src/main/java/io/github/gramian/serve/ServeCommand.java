package io.github.gramian.serve;

import com.sun.management.UnixOperatingSystemMXBean;
import io.github.gramian.cli.Gramian;
import io.github.gramian.cli.Subcommand;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.cli.common.Failure;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.serve.http.internal.GramianServer;
import io.github.gramian.serve.http.internal.ServerSettings;
import io.github.gramian.serve.inference.internal.ServedModel;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
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

    /** Jars, models, selectors, and the connections reserved for health checks. */
    private static final int OTHER_FILES = 256;

    @Parameters(
            arity = "0..*",
            paramLabel = "MODEL",
            description = "Model file or run directory; name=MODEL or name:version=MODEL to name it.")
    private List<@Nullable String> models = new ArrayList<>();

    @Option(
            names = "--index",
            paramLabel = "INDEX",
            description =
                    "Directory from 'gramian index', which POST /similar searches. It must have been built with one"
                            + " of the models. The server opens it again when it changes.")
    private @Nullable Path index;

    @Option(
            names = "--index-photos",
            paramLabel = "DIR",
            description = "Directory that was indexed: the page shows small copies of similar photographs, and not only"
                    + " their names.")
    private @Nullable Path indexPhotos;

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
    private List<@Nullable String> hosts = new ArrayList<>();

    @Option(
            names = "--allow-origin",
            paramLabel = "ORIGIN",
            description = "Accept requests from pages of this origin, such as https://app.example.com; repeatable.")
    private List<@Nullable String> origins = new ArrayList<>();

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
        logTimes();
        ServeFile file = config == null ? new ServeFile() : ServeFile.read(config);
        overwrite(file);
        ServerSettings settings = file.settings();
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
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(server, log, stderr()), "gramian-serve-end"));
            Thread.currentThread().join(); // never returns: the process ends in the hook
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
        file.host = or(host, file.host);
        file.port = or(port, file.port);
        file.batch.size = or(batch, file.batch.size);
        file.batch.queue = or(queue, file.batch.queue);
        file.deadlineMillis = or(deadline, file.deadlineMillis);
        file.drainSeconds = or(drain, file.drainSeconds);
        file.apiKeys = first(apiKeys, file.apiKeys);
        file.hosts = hosts.isEmpty() ? file.hosts : hosts;
        file.origins = origins.isEmpty() ? file.origins : origins;
        file.tls = tls(file.tls);
        file.index = first(index, file.index);
        file.indexPhotos = first(indexPhotos, file.indexPhotos);
        file.accessLog = first(accessLog, file.accessLog);
        file.page &= !noPage;
        file.watch |= watch;
        file.allowLoad |= allowLoad;
    }

    private static <T> T or(@Nullable T option, T inFile) {
        return option == null ? inFile : option;
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
        tooFewFiles(settings.http().connections()).ifPresent(out::println);
        out.flush();
    }

    /** A warning if this process may open too few files; none on systems that do not report the limit. */
    static Optional<String> tooFewFiles(int connections) {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? tooFewFiles(connections, system.getMaxFileDescriptorCount())
                : Optional.empty();
    }

    static Optional<String> tooFewFiles(int connections, long files) {
        return files >= (long) connections + OTHER_FILES
                ? Optional.empty()
                : Optional.of("this process may open only " + files + " files, but limits.connections is " + connections
                        + ": raise ulimit -n to " + (connections + OTHER_FILES) + ", or lower limits.connections");
    }

    /**
     * Shuts the server down after SIGTERM or Ctrl-C, and ends the process even if something that the server waits for hangs. The
     * exit code is 0, since a requested shutdown is not a failure. The JVM would exit with 143, and only a halt at the end of its
     * shutdown changes that.
     */
    private static void end(GramianServer server, LineFile log, PrintWriter err) {
        FutureTask<Integer> ending = new FutureTask<>(() -> {
            server.drain();
            log.close();
            return 0;
        });
        Thread thread = new Thread(ending, "gramian-serve-drain");
        thread.setDaemon(true);
        thread.start();
        int code = 1;
        try {
            code = ending.get(server.longestEnd().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException failure) {
            err.println("gramian: the server has not ended after "
                    + server.longestEnd().toSeconds() + " s, since something that it waits for hangs; it stops now");
        } catch (InterruptedException | ExecutionException failure) {
            err.println("gramian: the server did not end cleanly: "
                    + Failure.of(failure).line());
        }
        err.flush();
        Runtime.getRuntime().halt(code);
    }

    /** Gives all lines of the log their time, unless the user has chosen another form. */
    private static void logTimes() {
        if (Gramian.LOG_LINE.equals(System.getProperty(Gramian.LOG_FORMAT))) {
            for (Handler handler : Logger.getLogger("").getHandlers()) {
                handler.setFormatter(new TimedLine());
            }
        }
    }

    /** A line of the server's log: time (UTC) and message, and for a bug where it comes from. */
    static final class TimedLine extends Formatter {

        @Override
        public String format(LogRecord line) {
            Instant time = line.getInstant().truncatedTo(ChronoUnit.MILLIS);
            StringWriter text = new StringWriter();
            PrintWriter out = new PrintWriter(text);
            out.println(time + " gramian: " + formatMessage(line));
            if (line.getThrown() != null) {
                line.getThrown().printStackTrace(out);
            }
            return text.toString();
        }
    }

    /**
     * Lines to a file, to standard output, or nowhere; each is written at once. A full disk does not stop the server: the first
     * line that is lost is reported, and so is the number of lost lines when writing works again.
     */
    static final class LineFile implements Consumer<String>, AutoCloseable {

        private static final System.Logger LOG = System.getLogger("io.github.gramian.serve");
        private static final String STANDARD_OUTPUT = "-";

        private final String name;
        private final OutputStream target;
        private final Consumer<String> reports;
        private long lost;

        /** @param reports gets a sentence when writing fails for the first time, and when it works again */
        LineFile(String name, OutputStream target, Consumer<String> reports) {
            this.name = name;
            this.target = target;
            this.reports = reports;
        }

        static LineFile of(@Nullable String where, PrintWriter standardOutput) throws IOException {
            Consumer<String> log = sentence -> LOG.log(Level.WARNING, sentence);
            if (where == null) {
                return new LineFile("nowhere", OutputStream.nullOutputStream(), log);
            }
            return where.equals(STANDARD_OUTPUT)
                    ? new LineFile("standard output", printed(standardOutput), log)
                    : new LineFile(
                            where,
                            Files.newOutputStream(Path.of(where), StandardOpenOption.CREATE, StandardOpenOption.APPEND),
                            log);
        }

        /** Standard output, which others use as well. A writer that has failed once never reports success again. */
        static OutputStream printed(PrintWriter out) {
            return new OutputStream() {
                @Override
                public void write(int one) throws IOException {
                    write(new byte[] {(byte) one}, 0, 1);
                }

                @Override
                public void write(byte[] bytes, int start, int length) throws IOException {
                    out.print(new String(bytes, start, length, StandardCharsets.UTF_8));
                    if (out.checkError()) {
                        throw new IOException("the other side does not read it, or its disk is full");
                    }
                }
            };
        }

        @Override
        public synchronized void accept(String line) {
            try {
                // The last attempt may have stopped within a line.
                target.write(((lost > 0 ? "\n" : "") + line + "\n").getBytes(StandardCharsets.UTF_8));
            } catch (IOException failure) {
                if (lost++ == 0) {
                    reports.accept("the access log cannot be written to " + name + " (" + failure.getMessage()
                            + "); requests are answered but not logged until it can be written again");
                }
                return;
            }
            if (lost > 0) {
                reports.accept("the access log is written to " + name + " again; lines that were lost: " + lost);
                lost = 0;
            }
        }

        @Override
        public synchronized void close() {
            try {
                target.close();
            } catch (IOException failure) {
                reports.accept("the access log " + name + " cannot be closed: " + failure.getMessage());
            }
            if (lost > 0) {
                reports.accept("the access log " + name + " is not complete; lines that were lost: " + lost);
            }
        }
    }
}
