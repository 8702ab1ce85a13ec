package io.github.gramian.train.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.feature.internal.FeatureExtraction;
import io.github.gramian.feature.internal.FeatureRecipe;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.image.internal.ViewBudget;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.TensorType;
import java.nio.file.Path;
import java.util.List;

/**
 * The features of one image size as a training stores them and looks for them in a cache: a search that leaves them there
 * saves the training that follows the backbone's time.
 *
 * @param recipe what they are
 * @param extraction computes those that are missing
 */
public record ScaleExtraction(FeatureRecipe recipe, FeatureExtraction extraction) {

    private static final int BATCH = 16;

    /**
     * For the views of one size.
     *
     * @param taps layers of the backbone whose output is stored
     * @param cache directory for features
     */
    public static ScaleExtraction of(Backbone backbone, List<String> taps, Preprocessing views, Path cache) {
        return of(backbone, taps, views, new Seed(0), cache);
    }

    /**
     * The same for random views.
     *
     * @param seed of the views; it does not matter if they are not random
     */
    public static ScaleExtraction of(Backbone backbone, List<String> taps, Preprocessing views, Seed seed, Path cache) {
        FeatureRecipe recipe = FeatureRecipe.of(backbone, taps, views, seed, TensorType.F16);
        FeatureExtraction extraction = new FeatureExtraction(
                cache,
                recipe,
                backbone,
                ImageDecoder.forLocalFiles(),
                LoaderSettings.defaults(Math.min(BATCH, ViewBudget.largestBatch(List.of(views)))));
        return new ScaleExtraction(recipe, extraction);
    }
}
