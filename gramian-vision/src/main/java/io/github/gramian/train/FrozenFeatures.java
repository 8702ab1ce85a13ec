package io.github.gramian.train;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.image.Preprocessing;
import java.util.List;

/**
 * How images become feature maps before the backbone learns: for stage 1 and for everything that is judged.
 *
 * @param backbone as it was loaded
 * @param views of an image that is not augmented, for each scale of the network
 */
record FrozenFeatures(Backbone backbone, List<Preprocessing> views) {

    FrozenFeatures {
        views = List.copyOf(views);
    }
}
