package io.github.gramian.feature.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.tensor.Placement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** Converts the features of a backbone into the form that branches take. */
public final class FeatureMaps {

    private FeatureMaps() {}

    /**
     * The features of every branch as the backbone gives them, in the order of the branches: [batch, C, height, width] or
     * [batch, C] each.
     *
     * @param images [batch, 3, size, size] for each of the request's scales
     */
    public static List<Tensor> raw(Backbone backbone, FeatureRequest request, List<Tensor> images) {
        Tensor[] features = new Tensor[request.inputs().size()];
        List<FeatureRequest.Scale> scales = request.scales();
        for (int s = 0; s < scales.size(); s++) {
            Map<String, Tensor> found =
                    backbone.features(images.get(s), scales.get(s).taps());
            for (int branch : scales.get(s).branches()) {
                features[branch] = Objects.requireNonNull(found.get(request.tap(branch)));
            }
        }
        return List.of(features);
    }

    /** [batch, C, height, width] or [batch, C] → [batch, C, N], dense, where the network computes. */
    public static Tensor flat(Tensor features, Placement placement) {
        return placement
                .place(features)
                .reshape(features.size(0), features.size(1), -1)
                .contiguous();
    }

    /** The inverse of {@link #flat} for gradients: in shape and precision of the features. */
    public static Tensor unflat(Tensor gradient, Tensor features) {
        return gradient.to(features.scalar_type()).reshape(features.sizes());
    }

    /** Channels of the features that each branch takes. */
    public static List<Integer> channels(Backbone backbone, FeatureRequest request) {
        return request.inputs().stream()
                .map(input -> backbone.tap(input.tap()).channels())
                .toList();
    }

    /** Views of an image fused by their mean: [images·views, n] → [images, n]. */
    public static Tensor fuseViews(Tensor rows, long views) {
        return views == 1 ? rows : torch.mean(rows.reshape(-1, views, rows.size(1)), 1L);
    }
}
