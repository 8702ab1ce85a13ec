package io.github.gramian.cli.model;

import io.github.gramian.image.Crop;
import io.github.gramian.image.internal.PreprocessingKey;
import io.github.gramian.model.Predictor;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The model that a command uses, with its crops and precision. */
public final class ModelArgument {

    @Parameters(
            index = "0",
            paramLabel = "MODEL",
            description = "A model.gramian, the folder of its run, or an ONNX file made by: gramian export")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path given;

    @Option(
            names = "--crops",
            description = "Crops of an image: centre, five, ten or whole. Without it, as the model was trained.")
    private @Nullable String crops;

    @Option(
            names = "--precision",
            description = "Of the backbone: float or bfloat16. Without it, as the model was trained.")
    private @Nullable Precision precision;

    @Option(names = "--batch", defaultValue = "16", description = "Images at once (${DEFAULT-VALUE}).")
    private int batch;

    int batch() {
        return batch;
    }

    /** What is cut from an image; null for what the model was trained with. */
    @Nullable
    Crop crop() {
        if (crops == null) {
            return null;
        }
        Crop crop = PreprocessingKey.crop(crops);
        if (crop.isRandom()) {
            throw new IllegalArgumentException("--crops " + crops
                    + " is random; take centre, five, ten or whole, so that predictions can be reproduced");
        }
        return crop;
    }

    /** Loads it with the crops that were asked for. */
    Predictor load() throws IOException {
        Crop crop = crop();
        Predictor predictor = loadAsTrained();
        return crop == null ? predictor : predictor.withCrops(List.of(crop));
    }

    /** Loads it with the crops of its training. */
    Predictor loadAsTrained() throws IOException {
        if (precision == Precision.DOUBLE) {
            throw new IllegalArgumentException("--precision takes float or bfloat16, not double");
        }
        return precision == null ? Predictor.load(file(given)) : Predictor.load(file(given), precision);
    }

    /** The model's file, given itself or its run. */
    public static Path file(Path given) {
        if (!Files.isDirectory(given)) {
            return given;
        }
        Path model = new RunFolder(given).model();
        if (!Files.exists(model)) {
            throw new IllegalArgumentException(given + " holds no model.gramian; finish the run with: gramian resume "
                    + given + ", or give another folder");
        }
        return model;
    }
}
