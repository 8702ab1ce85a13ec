package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.Tap;
import io.github.gramian.backbone.internal.Plan;
import io.github.gramian.backbone.weights.WeightsFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a weights file of any known format holds, without its values.
 *
 * @param network such as {@code resnet50-keras}; empty for a foreign file
 * @param taps of the network; empty for a foreign file
 */
public record WeightsDescription(
        String format,
        String sha256,
        String network,
        Map<String, String> metadata,
        List<Tap> taps,
        List<Weight> weights) {

    /** One tensor. */
    public record Weight(String name, String type, List<Long> shape) {

        public Weight {
            shape = List.copyOf(shape);
        }

        long valueCount() {
            return shape.stream().reduce(1L, (a, b) -> a * b);
        }
    }

    public WeightsDescription {
        taps = List.copyOf(taps);
        weights = List.copyOf(weights);
    }

    /** Describes a file. Ours are checked as well. */
    public static WeightsDescription of(Path path) throws IOException {
        List<Weight> weights = new ArrayList<>();
        String format;
        try (SourceWeights source = SourceFormat.open(path)) {
            format = source.format().title();
            source.tensors()
                    .forEach((name, tensor) ->
                            weights.add(new Weight(name, tensor.type().name(), tensor.shape())));
        }
        String sha256 = SourceHash.of(path);
        if (!WeightsFile.isOne(path)) {
            return new WeightsDescription(format, sha256, "", Map.of(), List.of(), weights);
        }
        try (WeightsFile file = WeightsFile.open(path)) {
            List<Tap> taps = Plan.of(file.config()).taps();
            return new WeightsDescription(
                    "Gramian weights", sha256, file.config().key(), file.metadata(), taps, weights);
        }
    }

    /** The number of values of all tensors. */
    public long valueCount() {
        return weights.stream().mapToLong(Weight::valueCount).sum();
    }
}
