package io.github.gramian.cli.model;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.weights.internal.BackboneFile;
import io.github.gramian.cli.common.TrustOption;
import io.github.gramian.image.Crop;
import io.github.gramian.image.internal.PreprocessingKey;
import io.github.gramian.io.internal.FileNames;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The argument MODEL of commands, with the options that go with it: crops, precision, backbone, images at once. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class ModelArgument {

    @Parameters(
            index = "0",
            paramLabel = "MODEL",
            description = "A model.gramian, its run directory, or an ONNX file from 'gramian export'.")
    private Path given;

    @Option(names = "--crops", description = "Crops of an image: centre, five, ten or whole (default: as in training).")
    private @Nullable String crops;

    @Option(
            names = "--precision",
            description = "Precision of the backbone: float or bfloat16 (default: as in training).")
    private @Nullable Precision precision;

    @Option(
            names = "--backbone",
            paramLabel = "FILE",
            description = "TorchScript file that the model was trained on; other models contain their backbone.")
    private @Nullable Path backbone;

    @Mixin
    private TrustOption trust;

    @Option(
            names = "--batch",
            defaultValue = "16",
            description = "Number of images per batch (default: ${DEFAULT-VALUE}).")
    private int batch;

    int batch() {
        return batch;
    }

    /** The argument as it was given: a model, or a run directory. */
    Path given() {
        return given;
    }

    /** Crops of an image; null for those of the training. */
    @Nullable
    Crop crop() {
        if (crops == null) {
            return null;
        }
        Crop crop = PreprocessingKey.crop(crops);
        if (crop.isRandom()) {
            throw new IllegalArgumentException("--crops " + crops
                    + " is random; use centre, five, ten or whole, so that predictions can be reproduced");
        }
        return crop;
    }

    /** Checks that a command with images was given the model first, and not among the images. */
    void requireFirst(String command, List<String> images) {
        if (isModel(given)) {
            return;
        }
        for (String image : images) {
            if (isModel(FileNames.path(image))) {
                throw new IllegalArgumentException(given + " is not a model, but " + image
                        + " is; name the model first, then the images: gramian " + command + " " + image + " " + given);
            }
        }
    }

    private static boolean isModel(Path path) {
        String name = path.toString().toLowerCase(Locale.ROOT);
        return Files.isDirectory(path)
                ? Files.exists(new RunFolder(path).model())
                : Files.exists(path) && (name.endsWith(".gramian") || name.endsWith(".onnx"));
    }

    /** Loads it with the crops that were asked for. */
    BatchPredictor load() throws IOException {
        Crop crop = crop();
        if (crop == null) {
            return loadAsTrained();
        }
        try (BatchPredictor asTrained = loadAsTrained()) {
            return asTrained.withCrops(List.of(crop));
        }
    }

    /** Loads it with the crops of its training. */
    BatchPredictor loadAsTrained() throws IOException {
        if (precision == Precision.DOUBLE) {
            throw new IllegalArgumentException("--precision takes float or bfloat16, not double");
        }
        if (backbone != null) {
            return loadOn(new BackboneFile(backbone, trust.trusted()));
        }
        return precision == null ? BatchPredictor.load(file(given)) : BatchPredictor.load(file(given), precision);
    }

    private BatchPredictor loadOn(BackboneFile scripted) throws IOException {
        if (!scripted.isScripted()) {
            throw new IllegalArgumentException(scripted.path()
                    + " is not a TorchScript file; omit --backbone, since models contain all other backbones");
        }
        Path model = file(given);
        ModelDescription description;
        try (StoredModel opened = StoredModel.open(model)) {
            description = opened.description();
        }
        Precision wanted = precision == null ? description.backbone().precision() : precision;
        Backbone loaded = scripted.load(
                BackboneOptions.frozen(wanted),
                description.preprocessing().get(0).size());
        try {
            return BatchPredictor.load(model, loaded);
        } catch (IOException | RuntimeException failure) {
            loaded.close();
            throw failure;
        }
    }

    /** The model's file, given itself or its run. */
    public static Path file(Path given) {
        if (!Files.isDirectory(given)) {
            return given;
        }
        Path model = new RunFolder(given).model();
        if (!Files.exists(model)) {
            throw new IllegalArgumentException(
                    new RunFolder(given).isStarted()
                            ? given + " has no model.gramian; finish the run with: gramian resume " + given
                            : given + " is not a model: the directory has neither model.gramian nor recipe.yaml; give"
                                    + " a model.gramian, the directory of a run, or a file made by: gramian export");
        }
        return model;
    }
}
