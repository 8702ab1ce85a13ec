package io.github.gramian.bench;

import io.github.gramian.bench.measure.ServerLoad;
import io.github.gramian.check.internal.Rounds;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.model.internal.BatchPredictor;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
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
final class BenchServerCommand implements Callable<Integer> {

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
        measurement.report(result, out -> print(out, result));
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
                out.println(String.format(
                        Locale.ROOT,
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
            out.println(String.format(
                    Locale.ROOT,
                    "%.1f answers/s, %.2f of the model alone (%.1f/s)",
                    result.answeredPerSecond(),
                    result.ratioToPredictor(),
                    result.predictorPerSecond()));
        }
    }
}
