package io.github.gramian.bench;

import io.github.gramian.bench.measure.InferenceBenchmark;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
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
final class BenchInferenceCommand implements Callable<Integer> {

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
            measurement.report(results, out -> print(out, results));
            return 0;
        } finally {
            loaded.values().forEach(BatchPredictor::close);
        }
    }

    private static void print(PrintWriter out, List<InferenceBenchmark.Result> results) {
        for (InferenceBenchmark.Result result : results) {
            out.println(String.format(
                    Locale.ROOT,
                    "%s, batch %d: %.1f images/s, %.2f of the machine's limit (rounds of %.0f to %.0f ms)",
                    result.model(),
                    result.batch(),
                    result.imagesPerSecond(),
                    result.limitShare(),
                    result.round().fastest(),
                    result.round().slowest()));
        }
    }
}
