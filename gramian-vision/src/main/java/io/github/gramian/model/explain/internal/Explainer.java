package io.github.gramian.model.explain.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.engine.internal.ImageTensors;
import io.github.gramian.eval.Prediction;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.feature.internal.FeatureRequest;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.layer.Layer;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.model.explain.internal.ContributionMap.Grid;
import io.github.gramian.model.explain.internal.ViewLayout.View;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.Differentiable;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.PreparedImage;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;

/**
 * Explains predictions of a loaded model: which positions of an image raised the score of a class. The baseline of {@link
 * Contributions} is the image's own mean position, so a position contributes by what sets it apart from the image as a whole.
 * Contributions of branches, scales and views are added up in one map on the image.
 *
 * <p>A network with {@code fidelity: paper} is explained with the gradients that it was trained with, which are not exact.
 *
 * <p>Safe for use by many threads, which take turns; the predictor must remain open.
 */
public final class Explainer {

    private final ModelDescription description;
    private final Backbone backbone;
    private final Network network;
    private final FeatureRequest request;

    private Explainer(ModelDescription description, Differentiable model) {
        this.description = description;
        this.backbone = model.backbone();
        this.network = model.network();
        this.request = NetworkFeatures.of(description.network());
    }

    /** An explainer for a predictor's model; empty on an engine that computes no gradients, such as ONNX Runtime. */
    public static Optional<Explainer> of(BatchPredictor predictor) {
        return predictor.differentiable().map(model -> new Explainer(predictor.description(), model));
    }

    /**
     * The features of an image.
     *
     * @param raw of each branch: [views, C, rows, columns] or [views, C]
     * @param flat the same as branches take them: [views, C, N]
     */
    record Features(List<Tensor> raw, List<Tensor> flat) {

        /** Rows of a branch's grid of positions; 1 if its features have no grid. */
        int rows(int branch) {
            Tensor features = raw.get(branch);
            return features.dim() == 4 ? (int) features.size(2) : 1;
        }
    }

    /** The explanation of the predicted class. */
    public Explanation explain(PreparedImage image) {
        return explain(image, List.of()).get(0);
    }

    /**
     * Explanations of some classes, in their order.
     *
     * @param image not {@linkplain PreparedImage#rejected rejected}
     * @param classes indices; empty for the predicted class
     */
    public List<Explanation> explain(PreparedImage image, List<Integer> classes) {
        ViewLayout layout = new ViewLayout(image);
        try (Scope scope = Scope.open()) {
            Features features = features(image);
            Prediction prediction = prediction(features.flat());
            List<Integer> subjects = classes.isEmpty() ? List.of(prediction.predicted()) : classes;
            List<Explanation> explanations = new ArrayList<>();
            for (int subject : subjects) {
                ContributionMap map = ContributionMap.of(layout.region(), grids(features, layout, subject));
                explanations.add(new Explanation(prediction, subject, map.values(), layout.region(), layout.picture()));
            }
            return explanations;
        }
    }

    Features features(PreparedImage image) {
        List<Preprocessing> scales = image.preprocessing();
        List<Tensor> inputs = IntStream.range(0, scales.size())
                .mapToObj(i -> ImageTensors.of(
                        new InputPixels(List.of(image.scale(i)), scales.get(i).size(), ChannelOrder.LAST)))
                .toList();
        List<Tensor> raw = FeatureMaps.raw(backbone, request, inputs);
        return new Features(
                raw,
                raw.stream()
                        .map(one -> FeatureMaps.flat(one, network.placement()))
                        .toList());
    }

    /** The prediction for an image from its features, as {@link BatchPredictor#read} gives it. */
    Prediction prediction(List<Tensor> flat) {
        Tensor probabilities = network.probabilities(network.describe(flat));
        float[] fused = HostCopy.rows(FeatureMaps.fuseViews(probabilities, probabilities.size(0)))[0];
        return Prediction.of("", description.classes(), fused);
    }

    /** The contributions of each view in each branch. */
    private List<Grid> grids(Features features, ViewLayout layout, int subject) {
        Tensor direction = direction(subject, layout.of(0).size());
        List<Layer> branches = network.branches();
        List<Grid> grids = new ArrayList<>();
        long start = 0;
        for (int b = 0; b < branches.size(); b++) {
            Tensor maps = features.flat().get(b);
            long length = description
                    .network()
                    .branches()
                    .get(b)
                    .length(network.inputChannels().get(b));
            Tensor contributions = contributions(branches.get(b), maps, direction.narrow(1, start, length));
            start += length;
            int rows = features.rows(b);
            float[][] values = HostCopy.rows(contributions);
            List<View> views = layout.of(scale(b));
            for (int v = 0; v < views.size(); v++) {
                grids.add(new Grid(views.get(v), rows, values[v].length / rows, values[v]));
            }
        }
        return grids;
    }

    /** Passes add to gradients of the network's parameters, so only one thread may run one backward. */
    private Tensor contributions(Layer branch, Tensor maps, Tensor direction) {
        synchronized (network) {
            return Contributions.of(branch, maps, Contributions.meanPosition(maps), direction);
        }
    }

    /** The classifier's weights of the class, over the number of views, whose scores are averaged: [1, length]. */
    private Tensor direction(int subject, int views) {
        Tensor own = network.classifier().weight().value().narrow(0, subject, 1);
        return own.mul(scalar(1.0 / views));
    }

    /** The branch's place among the network's scales. */
    int scale(int branch) {
        List<FeatureRequest.Scale> scales = request.scales();
        return IntStream.range(0, scales.size())
                .filter(i -> scales.get(i).branches().contains(branch))
                .findFirst()
                .orElseThrow();
    }
}
