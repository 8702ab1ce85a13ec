package io.github.gramian.train.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.weights.internal.BackboneFile;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.recipe.BackboneSettings;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import java.io.IOException;

/** The backbone of a recipe, frozen: weights, or a scripted module that the user trusts. */
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
}
