package io.github.gramian.train;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.weights.internal.BackboneFile;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.recipe.BackboneSettings;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import java.io.IOException;
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

    /** The network in front that a recipe names; whoever watches is told of a program that runs. */
    static Backbone backbone(Recipe recipe, TrainingListener listener) throws IOException {
        BackboneSettings settings = recipe.backbone();
        BackboneFile file = new BackboneFile(settings.file(), settings.trustCode());
        Backbone loaded =
                file.load(settings.frozen(), recipe.network().scales().get(0).size());
        if (file.isProgram()) {
            listener.onEvent(new TrainingEvent.Note(settings.weights()
                    + " is a program (TorchScript) and runs with your rights, as you agreed; the model will not hold it,"
                    + " but name it by its sha256 " + loaded.weightsHash()));
        }
        return loaded;
    }
}
