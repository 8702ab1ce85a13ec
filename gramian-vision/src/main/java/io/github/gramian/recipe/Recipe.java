package io.github.gramian.recipe;

import io.github.gramian.layer.Fidelity;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.tensor.Precision;
import java.nio.file.Path;
import java.util.List;

/**
 * All settings of a training. Equal recipes on equal data, weights, threads and machine give equal
 * models, bit for bit.
 *
 * @param data which images
 * @param backbone the network in front
 * @param views what is cut from images
 * @param network everything behind the backbone
 * @param initialisation where weights start
 * @param stage1 training on cached features, the backbone frozen
 * @param stage2 training through the backbone
 * @param refit whether the classifier is fitted in closed form in the end
 * @param ridge how that is done
 * @param seed of everything random
 */
public record Recipe(
        DataConfig data,
        BackboneSettings backbone,
        ViewsConfig views,
        NetworkConfig network,
        InitialisationConfig initialisation,
        StageConfig stage1,
        StageConfig stage2,
        Refit refit,
        RidgeConfig ridge,
        long seed) {

    public Recipe {
        if (stage1.trainFrom() != null) {
            throw new IllegalArgumentException(
                    "stage 1 trains on cached features, which a trained backbone would change; set stage2.trainFrom");
        }
        if (stage2.epochs() > 0 && stage2.trainFrom() == null) {
            throw new IllegalArgumentException(
                    "stage2.trainFrom must name the first layer to train, such as res5a, when stage2.epochs > 0");
        }
    }

    /** Default settings, chosen on validation images (docs/decisions/0006); only images and weights must be named. */
    public static Recipe standard() {
        BranchConfig branch = new BranchConfig(
                BranchConfig.LAST,
                224,
                256,
                false,
                new AggregatorConfig.SpdMatrix(AggregationConfig.standard(Fidelity.EXACT), List.of()),
                new DescriptorConfig(0, 1e-3, 0.1, Fidelity.EXACT));
        return new Recipe(
                new DataConfig("", null, "standard", 1, 0.1),
                new BackboneSettings("", Precision.BFLOAT16, "cpu"),
                new ViewsConfig(8 / 7.0, "random-resized:1:0.4:1:1.33", "mirror:0.5", "centre"),
                new NetworkConfig(List.of(branch), 5),
                new InitialisationConfig(
                        InitialisationConfig.Start.ROTATED_PCA,
                        InitialisationConfig.Start.PCA,
                        InitialisationConfig.ClassifierStart.ZEROS),
                new StageConfig(
                        8,
                        32,
                        1,
                        new StageConfig.Rates(0.1, 0.01, 0.1, 5, 0.1, 1, 0, 5),
                        StageConfig.Schedule.COSINE,
                        10,
                        3,
                        0,
                        0.9,
                        1e-4,
                        0.0,
                        0.0,
                        StageConfig.Keep.BEST,
                        null),
                new StageConfig(
                        0,
                        16,
                        1,
                        new StageConfig.Rates(0.0125, 0.01, 0.01, 5, 0.01, 1, 0.004, 1),
                        StageConfig.Schedule.COSINE,
                        10,
                        3,
                        0,
                        0.9,
                        1e-4,
                        0.0,
                        0.0,
                        StageConfig.Keep.LAST,
                        null),
                Refit.BEST,
                RidgeConfig.defaults(),
                1);
    }

    /** The same on these images with these backbone weights. */
    public Recipe on(Path images, Path weights) {
        return on(images.toString(), weights.toString());
    }

    /** The same on these images with these backbone weights. */
    public Recipe on(String images, String weights) {
        return new Recipe(
                new DataConfig(images, data.layout(), data.protocol(), data.split(), data.validation()),
                new BackboneSettings(weights, backbone.precision(), backbone.device()),
                views,
                network,
                initialisation,
                stage1,
                stage2,
                refit,
                ridge,
                seed);
    }
}
