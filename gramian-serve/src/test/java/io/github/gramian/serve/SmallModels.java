package io.github.gramian.serve;

import io.github.gramian.certainty.PredictionSets;
import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.certainty.internal.Novelty;
import io.github.gramian.check.SharedFolder;
import io.github.gramian.model.Network;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.model.internal.TrainingImages;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.train.SmallRuns;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Two small models of the same classes and some images, made once for all tests of this JVM. */
public final class SmallModels {

    private static final Path FOLDER = SharedFolder.create("gramian-serve-test");

    private SmallModels() {}

    /** A model with a reference of training images, which knows its novelty and sets from made-up scores. */
    public static Path first() {
        return Shared.FIRST;
    }

    /** One without a reference, that gives other probabilities. */
    public static Path second() {
        return Shared.SECOND;
    }

    /** That of the first. */
    public static ModelCertainty reference() {
        return Shared.reference();
    }

    /** PNG files, 64 pixels a side. */
    public static List<Path> images() {
        first();
        List<Path> images = new ArrayList<>();
        for (String kind : SmallRuns.CLASSES) {
            for (int i = 0; i < SmallRuns.TRAIN + SmallRuns.TEST; i++) {
                images.add(SmallRuns.existing(FOLDER).images().resolve(kind).resolve(i + ".png"));
            }
        }
        return images;
    }

    /** The content of one of them. */
    public static byte[] image(int number) {
        try {
            return Files.readAllBytes(images().get(number));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Shared {
        static final Path FIRST = model("first", "stage1.epochs=2", reference());
        static final Path SECOND = model("second", "stage1.epochs=1", ModelCertainty.none());

        private static Path model(String name, String settings, ModelCertainty reference) {
            try {
                SmallRuns runs = Files.exists(SmallRuns.existing(FOLDER).weights())
                        ? SmallRuns.existing(FOLDER)
                        : SmallRuns.in(FOLDER);
                Path trained = runs.run(runs.recipe(settings), name).model();
                return withReference(trained, FOLDER.resolve(name + ".gramian"), reference);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        private static Path withReference(Path model, Path target, ModelCertainty reference) throws IOException {
            try (StoredModel from = StoredModel.open(model);
                    SafetensorsFile tensors = SafetensorsFile.open(model);
                    Network network = from.network(Placement.cpu(Precision.FLOAT))) {
                StoredModel.write(
                        target,
                        from.description(),
                        network,
                        name -> tensors.tensor("backbone/" + name),
                        new TrainingImages(from.knownImages(), reference));
            }
            return target;
        }

        /** Made-up scores, evenly spread, so that images differ in their novelty. */
        private static ModelCertainty reference() {
            int size = 8;
            float[] identity = new float[size * size];
            for (int i = 0; i < size; i++) {
                identity[i * size + i] = 1;
            }
            float[] calibration = new float[999];
            float[] sets = new float[99];
            for (int i = 0; i < calibration.length; i++) {
                calibration[i] = -5.4f + 2.4f * (i + 1) / (calibration.length + 1);
            }
            for (int i = 0; i < sets.length; i++) {
                sets[i] = (i + 1) / 100f;
            }
            float[] counts = new float[size];
            Arrays.fill(counts, 10);
            float[] spread = new float[size + 1];
            Arrays.fill(spread, 1);
            Novelty.Densities densities =
                    new Novelty.Densities(new float[size], 1, identity, identity, identity, counts, spread);
            return new ModelCertainty(
                    Optional.of(new Novelty(densities, calibration)),
                    Optional.of(new PredictionSets(PredictionSets.Source.VALIDATION, sets)));
        }
    }
}
