package io.github.gramian.train.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.weights.internal.BackboneFile;
import io.github.gramian.feature.internal.FeatureRequest;
import io.github.gramian.feature.internal.FrozenFeatures;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.recipe.BackboneSettings;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.ViewsConfig;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The backbone of a recipe, frozen: weights, or a scripted module that the user trusts; and the versions of images that it sees. */
public final class RecipeBackbone {

    private RecipeBackbone() {}

    /** Loads it. If it executes TorchScript code, the listener is notified. */
    public static Backbone load(Recipe recipe, TrainingListener listener) throws IOException {
        BackboneSettings settings = recipe.backbone();
        BackboneFile file = new BackboneFile(settings.file(), settings.trustCode());
        Backbone loaded = file.load(
                settings.frozen(),
                NetworkFeatures.of(recipe.network()).scales().get(0).size());
        if (file.isScripted()) {
            listener.onEvent(new TrainingEvent.Note(settings.weights()
                    + " is a TorchScript module, and its code runs with your privileges, as you allowed; the model does not"
                    + " contain it, but names it by its sha256 " + loaded.weightsHash()));
        }
        return loaded;
    }

    /** The images as they are: each of the network's scales in the views of validation and test. */
    public static FrozenFeatures.Version images(Recipe recipe, Backbone backbone) {
        FeatureRequest request = NetworkFeatures.of(recipe.network().on(backbone));
        List<Preprocessing> views = request.scales().stream()
                .map(scale -> recipe.views().test(scale.size(), backbone.normalisation()))
                .toList();
        return new FrozenFeatures.Version(request, views, new Seed(0));
    }

    /**
     * The changed copies of images, of which each draws its own changes.
     *
     * @param views with the changes of each copy
     * @param firstSeed of the first copy; each further one has the next
     */
    public static List<FrozenFeatures.Version> copies(
            Recipe recipe, ViewsConfig views, Backbone backbone, long firstSeed) {
        FeatureRequest request = NetworkFeatures.of(recipe.network().on(backbone));
        List<FrozenFeatures.Version> copies = new ArrayList<>();
        for (int i = 0; i < views.copyCount(); i++) {
            int copy = i;
            List<Preprocessing> changed = request.scales().stream()
                    .map(scale ->
                            views.copies(scale.size(), backbone.normalisation()).get(copy))
                    .toList();
            copies.add(new FrozenFeatures.Version(request, changed, new Seed(firstSeed + copy)));
        }
        return copies;
    }
}
