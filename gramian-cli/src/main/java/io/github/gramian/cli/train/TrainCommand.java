package io.github.gramian.cli.train;

import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.TrustOption;
import io.github.gramian.io.internal.FileNames;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.train.GoodTraining;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian train}: from a directory of images, or a recipe, to a model. */
@Command(
        name = "train",
        description = {
            "Trains a model on a directory of images, or with a recipe.",
            "The run directory then holds model.gramian, report.html, scores.json and everything needed to resume."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian train --images photos/ --backbone resnet50.safetensors --out runs/first",
            "  gramian train --images photos/ --backbone resnet50.safetensors --fine-tune res5a --out runs/tuned",
            "  gramian train --good photos/good --backbone resnet50.safetensors --out runs/part",
            "  gramian train recipe.yaml --set stage1.epochs=20 --seed 2 --out runs/second",
            "  gramian train recipe.yaml --out runs/two --processes 2",
            "  gramian train recipe.yaml --out runs/two --rank 1 --world-size 2 --store first-machine:29400"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class TrainCommand extends PrintingCommand {

    /** Chosen on validation images (docs/decisions/0006). */
    private static final int FINE_TUNING_EPOCHS = 10;

    /** A classifier in closed form explains its training images so well that fine-tuning would learn nothing from them. */
    private static final int HEAD_EPOCHS = 8;

    @Parameters(
            arity = "0..1",
            paramLabel = "RECIPE",
            description = "Recipe, a YAML file (default: the standard recipe).")
    private @Nullable Path recipe;

    @Option(names = "--images", description = "Directory with one subdirectory per class, or a CSV manifest.")
    private @Nullable String images;

    @Option(names = "--backbone", description = "Backbone file made by: gramian weights import; or a TorchScript file.")
    private @Nullable String backbone;

    @Mixin
    private TrustOption trust;

    @Option(names = "--out", required = true, description = "Run directory.")
    private Path out;

    @Option(names = "--dataset", description = "Layout of the dataset, such as dtd or folders (default: recognised).")
    private @Nullable String layout;

    @Mixin
    private SplitOptions splits;

    @Option(
            names = "--fine-tune",
            paramLabel = "LAYER",
            description = "Also train the backbone from this layer on, such as res5a, stage4_1 or block12.")
    private @Nullable String fineTune;

    @Option(
            names = "--map",
            description = "Also train a map of classes for 'gramian map': which class is where on a whole photograph.")
    private boolean map;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Setting of the recipe to override; 'gramian recipe show' lists the keys.")
    private List<String> settings = new ArrayList<>();

    @Option(
            names = "--good",
            paramLabel = "DIR",
            description = "Directory with photographs of good parts only, 10 or more: the model then finds defects.")
    private @Nullable Path good;

    @Option(
            names = "--alarms",
            paramLabel = "RATE",
            defaultValue = "0.05",
            description = "With --good: share of good photographs that may raise an alarm (default: ${DEFAULT-VALUE}).")
    private double alarms;

    @Option(
            names = "--short-side",
            paramLabel = "PIXELS",
            defaultValue = "448",
            description =
                    "With --good: shorter side of a photograph as the network sees it; larger finds smaller defects"
                            + " and takes longer (default: ${DEFAULT-VALUE}).")
    private int shortSide;

    @Mixin
    private TrainingRunOptions session;

    @Override
    public Integer call() throws IOException {
        if (good != null) {
            return trainOnGood(good);
        }
        List<String> all = splits.settings()
                .with("data.images", images)
                .with("backbone.weights", backbone)
                .with("backbone.trustCode", trust.setting())
                .with("data.layout", layout)
                .with("stage1.epochs", fineTune == null || recipe != null ? null : HEAD_EPOCHS)
                .with("stage2.trainFrom", fineTune)
                .with("map.layer", map ? "middle" : null)
                .with("stage2.epochs", fineTune == null ? null : FINE_TUNING_EPOCHS)
                .then(settings);
        Recipe complete = recipe == null ? RecipeFile.parse("", all) : RecipeFile.read(recipe, all);
        return session.run(complete, out, spec());
    }

    private int trainOnGood(Path photographs) throws IOException {
        if (images != null || recipe != null || fineTune != null || layout != null || !settings.isEmpty()) {
            throw new IllegalArgumentException("--good takes photographs of good parts only; leave out the recipe,"
                    + " --images, --dataset, --fine-tune and --set");
        }
        if (backbone == null) {
            throw new IllegalArgumentException("--good needs --backbone FILE, a file made by: gramian weights import");
        }
        GoodTraining training =
                new GoodTraining(photographs, FileNames.path(backbone), splits.groups(), shortSide, alarms);
        session.runOnGood(training, out, spec());
        return 0;
    }
}
