package io.github.gramian.recipe;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.github.gramian.model.config.NetworkConfig;
import java.nio.file.Path;

/**
 * All settings of a training. Equal recipes on equal data, weights, threads and machine give equal
 * models, bit for bit.
 *
 * @param data images and their split
 * @param classes weights of the classes
 * @param backbone the pretrained network
 * @param views resizing and crops of images
 * @param network all layers after the backbone
 * @param initialisation start of the weights
 * @param stage1 training on cached features, the backbone frozen
 * @param stage2 training through the backbone
 * @param refit whether the classifier is fitted in closed form at the end
 * @param ridge settings of the closed-form fit
 * @param tuned whether the fine-tuned model is used
 * @param map map of classes that the model stores in addition
 * @param last which images the final retraining uses, after the selection; {@code final} in files
 * @param seed random seed
 */
public record Recipe(
        DataConfig data,
        ClassesConfig classes,
        BackboneSettings backbone,
        ViewsConfig views,
        NetworkConfig network,
        InitialisationConfig initialisation,
        StageConfig stage1,
        StageConfig stage2,
        RidgeConfig.Refit refit,
        RidgeConfig ridge,
        Tuned tuned,
        MapConfig map,
        @JsonProperty("final") Final last,
        long seed) {

    /** Whether the model that stage 2 has trained is used. */
    public enum Tuned {
        /** If it recognises more validation images than the model with the frozen backbone; of two alike, by their loss. */
        BEST,
        ALWAYS
    }

    /** Which images the saved model has learned from. */
    public enum Final {
        /**
         * After validation images have selected epochs, penalty and classifier, all stages are trained again on training and
         * validation images together. A classifier in closed form after a frozen backbone is fitted to all images anyway.
         */
        ALL,
        /** Gradient descent uses training images only. A classifier in closed form is fitted to validation images as well. */
        TRAINING
    }

    public Recipe {
        if (stage1.trainFrom() != null) {
            throw new IllegalArgumentException(
                    "stage 1 trains on cached features, which a trained backbone would change; set stage2.trainFrom");
        }
        if (stage2.runs() && stage2.trainFrom() == null) {
            throw new IllegalArgumentException(
                    "stage2.trainFrom must name the first layer to train, such as res5a, when stage2.epochs > 0");
        }
    }

    /** The defaults, chosen on validation images (docs/decisions/0006) and read from {@code standard.yaml} next to this class; only images and weights must be named. */
    public static Recipe standard() {
        return RecipeFile.StandardRecipe.RECIPE;
    }

    /** The same on these images with these backbone weights. */
    public Recipe on(Path images, Path weights) {
        return on(images.toString(), weights.toString());
    }

    /** The same on these images with these backbone weights. */
    public Recipe on(String images, String weights) {
        return new Recipe(
                data.withImages(images),
                classes,
                backbone.on(weights),
                views,
                network,
                initialisation,
                stage1,
                stage2,
                refit,
                ridge,
                tuned,
                map,
                last,
                seed);
    }

    /**
     * The same with another value of one setting, by the key that recipe files use.
     *
     * <pre>{@code
     * Recipe longer = recipe.with("stage1.epochs", 5).with("network.branches.0.size", 224);
     * }</pre>
     *
     * @param key such as {@code stage1.epochs}; elements of a list are numbered from 0
     * @param value a number, a boolean, a path, or a string that is read as YAML, as {@code --set} reads it
     * @throws IllegalArgumentException if the key is unknown, with the nearest key, or if the value is not allowed
     */
    public Recipe with(String key, Object value) {
        return RecipeFile.with(this, key, value);
    }

    /** The same with another random seed. */
    public Recipe withSeed(long other) {
        return with("seed", other);
    }
}
