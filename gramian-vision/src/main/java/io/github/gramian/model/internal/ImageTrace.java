package io.github.gramian.model.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.engine.internal.ImageTensors;
import io.github.gramian.eval.Prediction;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.image.Crop;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;

/**
 * What a model makes of one image, step by step, as its first branch sees it: for pictures. Always in float.
 *
 * @param view the part of the image that the network sees
 * @param maps the strongest feature maps of the backbone, each [rows][columns]
 * @param channels how many feature maps the backbone gives
 * @param matrices K, Y1 and so on, by name; none where the aggregator has no matrix
 * @param prediction the answer
 */
public record ImageTrace(
        RgbImage view, List<float[][]> maps, int channels, Map<String, float[][]> matrices, Prediction prediction) {

    /**
     * Runs the image through the model.
     *
     * @param maps number of feature maps that are stored
     */
    public static ImageTrace of(Path model, RgbImage image, int maps) throws IOException {
        Placement placement = Placement.cpu(Precision.FLOAT);
        try (StoredModel file = StoredModel.open(model)) {
            file.verify();
            try (Backbone backbone = file.backbone(placement);
                    Network network = file.network(placement);
                    Scope scope = Scope.open()) {
                return of(file.description(), backbone, network, image, maps);
            }
        }
    }

    private static ImageTrace of(
            ModelDescription description, Backbone backbone, Network network, RgbImage image, int maps) {
        List<Preprocessing> scales = description.preprocessing().stream()
                .map(one -> one.withCrops(List.of(new Crop.Centre())))
                .toList();
        PreparedImage prepared = PreparedImage.of(scales, ChannelOrder.LAST, image);
        List<Tensor> inputs = IntStream.range(0, scales.size())
                .mapToObj(i -> ImageTensors.of(new InputPixels(
                        List.of(prepared.scale(i)), scales.get(i).size(), ChannelOrder.LAST)))
                .toList();
        List<Tensor> features = FeatureMaps.raw(backbone, NetworkFeatures.of(description.network()), inputs);
        List<Tensor> flat = features.stream()
                .map(one -> FeatureMaps.flat(one, network.placement()))
                .toList();
        Map<String, float[][]> matrices = new LinkedHashMap<>();
        Branch.of(network)
                .get(0)
                .trace(flat.get(0))
                .matrices()
                .forEach((name, value) -> matrices.put(name, HostCopy.rows(value.select(0, 0))));
        float[] probabilities = HostCopy.rows(network.probabilities(network.describe(flat)))[0];
        return new ImageTrace(
                scales.get(0).viewsOf(image, new Seed(0)).get(0),
                strongest(features.get(0).select(0, 0), maps),
                (int) features.get(0).size(1),
                matrices,
                Prediction.of("", description.classes(), probabilities));
    }

    /** Those with the largest mean; equal ones in their order. */
    private static List<float[][]> strongest(Tensor features, int wanted) {
        float[] means = HostCopy.floats(features.flatten(1, 2).mean(1));
        return IntStream.range(0, means.length)
                .boxed()
                .sorted((one, other) -> Float.compare(means[other], means[one]))
                .limit(wanted)
                .map(channel -> HostCopy.rows(features.select(0, channel)))
                .toList();
    }
}
