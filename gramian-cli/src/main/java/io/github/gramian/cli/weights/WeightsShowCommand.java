package io.github.gramian.cli.weights;

import io.github.gramian.backbone.Tap;
import io.github.gramian.backbone.weights.internal.WeightsDescription;
import io.github.gramian.cli.common.JsonOutput;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
final class WeightsShowCommand extends WeightsTask {

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
        if (json) {
            JsonOutput.print(out, toMap(description));
        } else {
            print(out, description);
        }
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
                Locale.ROOT, "tensors  %d, %,d values%n", description.weights().size(), description.valueCount());
        description.metadata().forEach((key, value) -> out.println("  " + key + ": " + value));
        if (!description.taps().isEmpty()) {
            out.println("layers to take features from (channels, stride):");
            for (Tap tap : description.taps()) {
                String stride = tap.stride() == 0 ? "vector" : "1/" + tap.stride();
                out.println(String.format(Locale.ROOT, "  %-9s %5d  %s", tap.name(), tap.channels(), stride));
            }
        }
        if (tensors) {
            for (WeightsDescription.Weight weight : description.weights()) {
                out.println("  " + weight.name() + " " + weight.type() + weight.shape());
            }
        }
    }
}
