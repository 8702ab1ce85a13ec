package io.github.gramian.bench;

import static java.util.Objects.requireNonNull;

import io.github.gramian.check.internal.Rounds;
import io.github.gramian.check.internal.Rounds.Timing;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.PreparedImage;
import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Trained networks on LibTorch and on ONNX Runtime. */
@Command(
        name = "inference",
        description = {
            "Measures trained networks alone, without decoding.",
            "Reports images per second of a model.gramian in each precision, and of an ONNX file on ONNX Runtime.",
            "Also reports the share of the machine's limit, which is the speed of large matrix products."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  gramian bench inference runs/first/model.gramian model.onnx",
            "  gramian bench inference runs/first/model.gramian --precision float --batch 1,16 --json"
        })
final class BenchInferenceCommand extends PrintingCommand {

    @Parameters(paramLabel = "MODEL", arity = "1..*", description = "Model files or ONNX files to measure.")
    private List<Path> models = List.of();

    @Option(
            names = "--batch",
            split = ",",
            description = "Number of images per batch (default: ${DEFAULT-VALUE}).",
            defaultValue = "1,8,32")
    private List<Integer> batches = List.of();

    @Option(
            names = "--images",
            description = "Number of images per round (default: ${DEFAULT-VALUE}).",
            defaultValue = "32")
    private int images;

    @Option(
            names = "--precision",
            split = ",",
            description = "Precisions of a model.gramian; an ONNX file has its own (default: ${DEFAULT-VALUE}).",
            defaultValue = "FLOAT,BFLOAT16")
    private List<Precision> precisions = List.of();

    @Mixin
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Measurement measurement;

    @Override
    public Integer call() throws IOException {
        InferenceBenchmark benchmark = new InferenceBenchmark(batches, images, measurement.rounds());
        Map<String, BatchPredictor> loaded = new LinkedHashMap<>();
        try {
            for (Path model : models) {
                if (model.toString().endsWith(".onnx")) {
                    loaded.put(model.toString(), BatchPredictor.load(model));
                    continue;
                }
                for (Precision precision : precisions) {
                    loaded.put(
                            model + " " + precision.name().toLowerCase(Locale.ROOT),
                            BatchPredictor.load(model, precision));
                }
            }
            List<InferenceBenchmark.Result> results = benchmark.run(loaded);
            print(measurement.json(), () -> results, out -> print(out, results));
            return 0;
        } finally {
            loaded.values().forEach(BatchPredictor::close);
        }
    }

    private static void print(PrintWriter out, List<InferenceBenchmark.Result> results) {
        for (InferenceBenchmark.Result result : results) {
            out.println(Text.format(
                    "%s, batch %d: %.1f images/s, %.2f of the machine's limit (rounds of %.0f to %.0f ms)",
                    result.model(),
                    result.batch(),
                    result.imagesPerSecond(),
                    result.limitShare(),
                    result.round().fastest(),
                    result.round().slowest()));
        }
    }

    /**
     * Networks on their engines, side by side: images that are decoded and prepared already, in batches of several sizes.
     *
     * @param batches sizes of a batch
     * @param images in a round, at least as many as in the largest batch
     * @param rounds measured rounds, alternating
     */
    record InferenceBenchmark(List<Integer> batches, int images, int rounds) {

        private static final int SIDE = 256;

        public InferenceBenchmark {
            batches = List.copyOf(batches);
            if (batches.isEmpty() || batches.stream().anyMatch(batch -> batch < 1 || batch > images)) {
                throw new IllegalArgumentException(
                        "batches must have 1 to " + images + " images (as many as a round has) but are " + batches);
            }
        }

        /**
         * One network with one size of batches.
         *
         * @param model its name
         * @param engine what computes
         * @param precision of the backbone
         * @param batch images at once
         * @param imagesPerSecond by the median
         * @param limitShare operations per second of the backbone as a share of those of large matrix products in the same run and
         *     precision; the head's operations are not counted
         * @param round milliseconds of a round
         */
        public record Result(
                String model,
                String engine,
                String precision,
                int batch,
                double imagesPerSecond,
                double limitShare,
                Timing round) {}

        /** Measures these; the caller closes them. */
        public List<Result> run(Map<String, BatchPredictor> models) {
            List<RgbImage> photographs = new ArrayList<>();
            for (int i = 0; i < images; i++) {
                byte[] noise = new byte[3 * SIDE * SIDE];
                new Random(i).nextBytes(noise);
                photographs.add(new RgbImage(SIDE, SIDE, noise));
            }
            Map<Precision, MachineLimit> limits = new EnumMap<>(Precision.class);
            models.values().forEach(model -> limits.computeIfAbsent(model.precision(), MachineLimit::new));
            try {
                return run(models, photographs, limits);
            } finally {
                limits.values().forEach(MachineLimit::close);
            }
        }

        private List<Result> run(
                Map<String, BatchPredictor> models, List<RgbImage> photographs, Map<Precision, MachineLimit> limits) {
            Rounds contest = new Rounds();
            limits.forEach((precision, limit) -> contest.with(precision.name(), limit::run));
            models.forEach((name, model) -> {
                List<PreparedImage> prepared =
                        photographs.stream().map(model::prepare).toList();
                for (int batch : batches) {
                    contest.with(name + " " + batch, () -> read(model, prepared, batch));
                }
            });
            Map<String, Timing> timings = contest.run(1, rounds);
            List<Result> results = new ArrayList<>();
            models.forEach((name, model) -> {
                double operations = operations(model);
                double limit = requireNonNull(limits.get(model.precision()))
                        .perSecond(requireNonNull(timings.get(model.precision().name())));
                for (int batch : batches) {
                    Timing round = requireNonNull(timings.get(name + " " + batch));
                    double rate = 1e3 * images / round.median();
                    results.add(new Result(
                            name,
                            model.engine(),
                            model.precision().name(),
                            batch,
                            rate,
                            rate * operations / limit,
                            round));
                }
            });
            return results;
        }

        /** Operations of the backbone for one image, over all sizes at which the network reads it. */
        private static double operations(BatchPredictor model) {
            String backbone = model.description().backbone().name();
            return NetworkFeatures.of(model.description().network()).scales().stream()
                    .mapToDouble(scale -> Operations.perImage(backbone, scale.taps(), scale.size()))
                    .sum();
        }

        private static void read(BatchPredictor model, List<PreparedImage> prepared, int batch) {
            for (int from = 0; from < prepared.size(); from += batch) {
                model.read(prepared.subList(from, Math.min(prepared.size(), from + batch)));
            }
        }
    }
}
