package io.github.gramian.bench;

import io.github.gramian.check.internal.Rounds;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.internal.BatchPredictor;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Load on a running server. */
@Command(
        name = "server",
        description = {
            "Measures a running server.",
            "Posts the images of a directory and reports the number of responses, their speed and status.",
            "Requests come from clients that wait for each response, or at a fixed rate. A model is measured in this process, too."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  gramian bench server http://127.0.0.1:8080/predict photos/ --clients 32",
            "  gramian bench server http://127.0.0.1:8080/predict photos/ --rate 50 --seconds 60 --json",
            "  gramian bench server http://127.0.0.1:8080/predict photos/ --clients 32 --model runs/first/model.gramian"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class BenchServerCommand extends PrintingCommand {

    private static final int MAX_IMAGES = 256;
    private static final int BATCH = 8;

    @Parameters(index = "0", paramLabel = "ADDRESS", description = "Address that images are posted to.")
    private URI address;

    @Parameters(
            index = "1",
            paramLabel = "IMAGES",
            description = "Directory of images; at most " + MAX_IMAGES + " of them are used.")
    private Path images;

    @Option(
            names = "--clients",
            description = "Number of clients that wait for each response (default: ${DEFAULT-VALUE}).",
            defaultValue = "8")
    private int clients;

    @Option(names = "--rate", description = "Requests per second, sent without waiting, instead of --clients.")
    private @Nullable Double rate;

    @Option(names = "--seconds", description = "Seconds per round (default: ${DEFAULT-VALUE}).", defaultValue = "15")
    private double seconds;

    @Option(
            names = "--model",
            description = "Model that is measured on the same files in this process, in turn with the server.")
    private @Nullable Path model;

    @Mixin
    private Measurement measurement;

    /**
     * Result of the benchmark.
     *
     * @param rounds responses of each round of load
     * @param answeredPerSecond with status 200, by the median round
     * @param predictorPerSecond of the model in this process, by the median; null if there was none
     * @param ratioToPredictor of these two
     */
    record Result(
            List<List<ServerLoad.Answers>> rounds,
            double answeredPerSecond,
            @Nullable Double predictorPerSecond,
            @Nullable Double ratioToPredictor) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(images)) {
            files = all.filter(Files::isRegularFile).sorted().limit(MAX_IMAGES).toList();
        }
        List<byte[]> contents = new ArrayList<>();
        for (Path file : files) {
            contents.add(Files.readAllBytes(file));
        }
        Duration time = Duration.ofMillis((long) (1e3 * seconds));
        ServerLoad load = new ServerLoad(address, contents, time);
        Result result;
        try (BatchPredictor predictor = model == null ? null : BatchPredictor.load(model)) {
            result = measure(load, predictor, files);
        }
        print(measurement.json(), () -> result, out -> print(out, result));
        return 0;
    }

    private Result measure(ServerLoad load, @Nullable BatchPredictor predictor, List<Path> files)
            throws InterruptedException {
        List<List<ServerLoad.Answers>> rounds = new ArrayList<>();
        double[] server = new double[measurement.rounds()];
        double[] direct = new double[measurement.rounds()];
        for (int round = 0; round < measurement.rounds(); round++) {
            List<ServerLoad.Answers> answers = rate == null ? load.byClients(clients) : load.atRate(rate);
            rounds.add(answers);
            server[round] = answers.stream()
                    .filter(answer -> answer.status() == 200)
                    .mapToDouble(ServerLoad.Answers::perSecond)
                    .sum();
            if (predictor != null) {
                direct[round] = perSecond(predictor, files);
            }
        }
        double answered = Rounds.median(server);
        return predictor == null
                ? new Result(rounds, answered, null, null)
                : new Result(rounds, answered, Rounds.median(direct), answered / Rounds.median(direct));
    }

    private static double perSecond(BatchPredictor predictor, List<Path> files) {
        Rounds.settle();
        return 1e3
                * files.size()
                / Rounds.millisOf(() -> predictor.predict(files, LoaderSettings.defaults(BATCH), prediction -> {}));
    }

    private static void print(PrintWriter out, Result result) {
        for (List<ServerLoad.Answers> round : result.rounds()) {
            for (ServerLoad.Answers answers : round) {
                out.println(Text.format(
                        "%s: %d (%.1f/s), p50 %.0f ms, p99 %.0f ms, p99.9 %.0f ms, longest %.0f ms",
                        answers.status() < 0 ? "no answer" : "status " + answers.status(),
                        answers.count(),
                        answers.perSecond(),
                        answers.p50(),
                        answers.p99(),
                        answers.p999(),
                        answers.longest()));
            }
        }
        if (result.predictorPerSecond() != null) {
            out.println(Text.format(
                    "%.1f answers/s, %.2f of the model alone (%.1f/s)",
                    result.answeredPerSecond(), result.ratioToPredictor(), result.predictorPerSecond()));
        }
    }

    /**
     * Images posted to a running server.
     *
     * @param address of the server's method, such as {@code http://127.0.0.1:8080/predict}
     * @param images encoded, posted in turn
     * @param time for how long; requests that are under way then are waited for
     */
    record ServerLoad(URI address, List<byte[]> images, Duration time) {

        /**
         * Requests that were answered with one status; latencies in milliseconds.
         *
         * @param status of HTTP, or −1 for no answer
         * @param count of them
         * @param perSecond of them
         * @param p50 half of them took no longer
         * @param p99 99 % of them took no longer
         * @param p999 99.9 % of them took no longer
         * @param longest of all
         */
        public record Answers(
                int status, int count, double perSecond, double p50, double p99, double p999, double longest) {}

        /** More requests without an answer than this would measure the client. */
        private static final int MAX_UNDER_WAY = 4096;

        public ServerLoad {
            images = List.copyOf(images);
            if (images.isEmpty()) {
                throw new IllegalArgumentException("a load needs at least 1 image");
            }
            if (time.isZero() || time.isNegative()) {
                throw new IllegalArgumentException(
                        "a load needs a time above 0 but is given " + time.toMillis() + " ms");
            }
        }

        /** The given number of clients, each of which posts its next image when the last one is answered. */
        public List<Answers> byClients(int clients) throws InterruptedException {
            if (clients < 1) {
                throw new IllegalArgumentException("a load needs at least 1 client but is given " + clients);
            }
            Latencies latencies = new Latencies();
            AtomicInteger next = new AtomicInteger();
            // A connection each, as clients on other machines have. The first takes a while to make: the clock starts
            // later.
            List<HttpClient> connections =
                    Stream.generate(ServerLoad::client).limit(clients).toList();
            long end = System.nanoTime() + time.toNanos();
            List<Thread> running = new ArrayList<>();
            for (int c = 0; c < clients; c++) {
                HttpClient http = connections.get(c);
                Thread thread = new Thread(
                        () -> {
                            while (System.nanoTime() < end) {
                                long start = System.nanoTime();
                                latencies.add(send(http, request(next.getAndIncrement())), System.nanoTime() - start);
                            }
                        },
                        "client-" + c);
                thread.setDaemon(true);
                thread.start();
                running.add(thread);
            }
            for (Thread thread : running) {
                thread.join();
            }
            return latencies.over(time);
        }

        /**
         * The given number of requests per second, whether or not those before are answered. A latency counts from the moment at which the
         * request was due.
         */
        public List<Answers> atRate(double perSecond) {
            if (!(perSecond > 0 && perSecond < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException("the rate must be above 0 requests per second but is " + perSecond);
            }
            Latencies latencies = new Latencies();
            HttpClient http = client();
            List<CompletableFuture<?>> underWay = new ArrayList<>();
            long start = System.nanoTime();
            long requests = (long) (perSecond * time.toNanos() / 1e9);
            for (int i = 0; i < requests; i++) {
                long due = start + (long) (i * 1e9 / perSecond);
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                underWay.removeIf(CompletableFuture::isDone);
                if (underWay.size() >= MAX_UNDER_WAY) {
                    throw new IllegalStateException(
                            MAX_UNDER_WAY + " requests are without an answer; measure at a lower rate");
                }
                underWay.add(http.sendAsync(request(i), BodyHandlers.discarding())
                        .handle((answer, failure) -> failure == null ? answer.statusCode() : Latencies.FAILED)
                        .thenAccept(status -> latencies.add(status, System.nanoTime() - due)));
            }
            CompletableFuture.allOf(underWay.toArray(CompletableFuture[]::new)).join();
            return latencies.over(time);
        }

        private HttpRequest request(int number) {
            return HttpRequest.newBuilder(address)
                    .POST(BodyPublishers.ofByteArray(images.get(Math.floorMod(number, images.size()))))
                    .build();
        }

        private static HttpClient client() {
            return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        }

        private static int send(HttpClient http, HttpRequest request) {
            try {
                HttpResponse<Void> answer = http.send(request, BodyHandlers.discarding());
                return answer.statusCode();
            } catch (IOException e) {
                return Latencies.FAILED;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Latencies.FAILED;
            }
        }

        /** How long requests have taken, by the status of their answer. Safe for use by many threads. */
        private static final class Latencies {

            /** Replaces the status if there was no response. */
            static final int FAILED = -1;

            private final Map<Integer, List<Long>> nanos = new TreeMap<>();

            synchronized void add(int status, long took) {
                nanos.computeIfAbsent(status, first -> new ArrayList<>()).add(took);
            }

            /** One entry for each status, in their order. */
            synchronized List<Answers> over(Duration time) {
                return nanos.entrySet().stream()
                        .map(entry -> answers(entry.getKey(), entry.getValue(), time))
                        .toList();
            }

            private static Answers answers(int status, List<Long> nanos, Duration time) {
                double[] millis =
                        nanos.stream().mapToDouble(one -> one / 1e6).sorted().toArray();
                return new Answers(
                        status,
                        millis.length,
                        1e9 * millis.length / time.toNanos(),
                        quantile(millis, 0.5),
                        quantile(millis, 0.99),
                        quantile(millis, 0.999),
                        millis[millis.length - 1]);
            }

            /** The smallest that at least this share of them does not exceed. */
            static double quantile(double[] sorted, double share) {
                return sorted[(int) Math.max(0, Math.ceil(share * sorted.length) - 1)];
            }
        }
    }
}
