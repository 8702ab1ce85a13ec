package io.github.gramian.reliability;

import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.SmallRuns;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import io.github.gramian.train.TrainingStopped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.QualifiedName;

/**
 * Eighteen small images, a backbone of two convolutions and a recipe whose training takes a tenth of a second, for tests
 * that train a thousand times.
 *
 * @param folder of all of it
 */
record TinyWorld(Path folder) {

    private static final int TRAIN = 4;
    private static final int TEST = 2;

    static TinyWorld in(Path folder) throws IOException {
        TinyWorld world = new TinyWorld(Files.createDirectories(folder));
        List<String> lines = new ArrayList<>(List.of("path,label,split"));
        for (String kind : SmallRuns.CLASSES) {
            for (int i = 0; i < TRAIN + TEST; i++) {
                String path = kind + "/" + i + ".png";
                SmallRuns.draw(folder.resolve("images").resolve(path), kind, i);
                lines.add(path + "," + kind + "," + (i < TRAIN ? "train" : "test"));
            }
        }
        Files.write(world.images(), lines);
        writeBackbone(world.backbone(), """
                def forward(self, x):
                    a = torch.relu(torch.conv2d(x, self.first, None, [2, 2], [1, 1]))
                    return torch.relu(torch.conv2d(a, self.second, None, [2, 2], [1, 1]))
                """);
        Files.writeString(world.recipe(), """
                data: {images: '%s', validation: 0.25}
                backbone: {weights: '%s', precision: float, trustCode: true}
                views: {margin: 1, training: centre, augment: 'mirror:0.5', test: centre}
                network:
                  logitScale: 5
                  branches:
                    - tap: features
                      size: 32
                      convolution: 4
                      rectify: true
                      aggregator: {kind: spd, aggregation: {kernel: rbf}, transforms: [{outputDim: 3, activation: relu}]}
                      descriptor: {powerEpsilon: 1.0E-3, centringMomentum: 0.1}
                initialisation: {convolution: pca, transform: pca, classifier: zeros}
                stage1: {epochs: 2, batch: 6, accumulate: 1, schedule: cosine, warmUp: 2, momentum: 0.9,
                  rates: {classifier: 0.1, bias: 0.01, convolution: 0.05, transform: 0.05}}
                stage2: {epochs: 0}
                refit: best
                final: training
                seed: 7
                """.formatted(world.images(), world.backbone()));
        return world;
    }

    /** A program with the filters {@code first} and {@code second}. */
    static void writeBackbone(Path file, String program) {
        try (Scope scope = Scope.open()) {
            JitModule module = new JitModule(new QualifiedName("Net"));
            Placement placement = Placement.cpu(Precision.FLOAT);
            module.register_parameter("first", new Seed(1).normal(placement, 4, 3, 3, 3), false);
            module.register_parameter("second", new Seed(2).normal(placement, 6, 4, 3, 3), false);
            module.define(program);
            module.save(file.toString());
        }
    }

    /** The list of images. */
    Path images() {
        return folder.resolve("images/manifest.csv");
    }

    Path backbone() {
        return folder.resolve("net.pt");
    }

    Path recipe() {
        return folder.resolve("recipe.yaml");
    }

    /** Trains into a folder until this number of batches was learned from, as if it had been stopped. */
    void trainAndStop(Path run, Path cache, int batches) throws IOException {
        AtomicInteger seen = new AtomicInteger();
        TrainingOptions options = TrainingOptions.defaults(cache)
                .withListener(event -> seen.addAndGet(event instanceof TrainingEvent.Step ? 1 : 0))
                .stoppedBy(() -> seen.get() >= batches);
        try {
            Training.of(RecipeFile.read(recipe())).with(options).into(run);
            throw new IllegalStateException("the training ended before it was stopped");
        } catch (TrainingStopped e) {
            // as it should be
        }
    }
}
