package io.github.gramian.train.stage.internal;

import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.RandomMaps;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.internal.EventLog;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.TensorType;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.train.internal.Initialisation;
import io.github.gramian.train.stage.internal.StageRunner.StageContext;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.bytedeco.pytorch.Tensor;

/**
 * A stage of descent over a small network with every layer that is not per-sample: a σ for all, centring, dropout, W on its
 * manifold, two branches. Twenty images in batches of six: the last batch has two, and nothing for ranks 2 and 3.
 *
 * @param precision of everything
 * @param settings of the recipe
 */
public record DistributedStage(Precision precision, List<String> settings) {

    private static final List<Integer> CHANNELS = List.of(10, 6);
    private static final int CLASSES = 4;

    public DistributedStage {
        settings = List.copyOf(settings);
    }

    private Recipe recipe() {
        return RecipeFile.parse("""
                network:
                  logitScale: 5
                  branches:
                    - tap: a
                      convolution: 8
                      rectify: true
                      aggregator:
                        kind: spd
                        aggregation: {kernel: {kind: rbf, bandwidth: {kind: global, momentum: 0.3}}}
                        transforms: [{outputDim: 5, activation: relu}]
                      descriptor: {powerEpsilon: 1.0E-3, centringMomentum: 0.2, dropout: 0.2}
                    - tap: b
                      convolution: 4
                      aggregator: {kind: spd, aggregation: {kernel: rbf}}
                      descriptor: {powerEpsilon: 1.0E-3, centringMomentum: 0.1}
                initialisation: {convolution: pca, transform: pca, classifier: zeros}
                stage1: {epochs: 50, batch: 6, accumulate: 1, schedule: cosine, warmUp: 2, momentum: 0.9,
                  keep: last, rates: {classifier: 0.05, bias: 0.01, convolution: 0.02, transform: 0.02}}
                refit: never
                seed: 7
                """, settings);
    }

    /**
     * Trains, and leaves the weights of this process in a file.
     *
     * @param folder of the checkpoints
     */
    void run(DistributedConfig distributed, Path folder, Path weights, Duration checkpointEvery) throws IOException {
        Placement placement = Placement.cpu(precision);
        Recipe recipe = recipe();
        BatchSource training = new RandomMaps(20, CLASSES, CHANNELS, 9, placement, new Seed(3));
        BatchSource validation = new RandomMaps(7, CLASSES, CHANNELS, 9, placement, new Seed(3));
        RunFolder files = new RunFolder(folder);
        try (DistributedTraining processes = DistributedTraining.join(distributed, "cpu");
                Network network =
                        new Network(recipe.network(), CHANNELS, CLASSES, placement, new Seed(distributed.rank()))) {
            boolean fresh = processes.leads() && !files.last(1).toFile().exists();
            if (fresh) {
                new Initialisation(network, training, recipe.initialisation(), new Seed(5)).run();
            }
            EventLog log = distributed.leads() ? EventLog.open(files.events(), 0) : EventLog.none();
            StageContext context = new StageContext(log, log, checkpointEvery, processes);
            Stage stage = new Stage(1, recipe.stage1(), training, validation, new Seed(9));
            new StageRunner(stage, network, null, files, context).run();
            Checkpoint.write(weights, network.parameters(), Map.of(), StageState.start(1, 0, 0), Map.of());
        }
    }

    /** The weights of a file by name, in the caller's scope. */
    private static Map<String, Tensor> weights(Path file) throws IOException {
        Map<String, Tensor> all = new TreeMap<>();
        try (SafetensorsFile open = SafetensorsFile.open(file)) {
            for (var entry : open.entries()) {
                if (entry.type() == TensorType.I64) {
                    continue; // the images that a model knows
                }
                all.put(entry.name(), open.tensor(entry.name()));
            }
        }
        return all;
    }

    /** The largest of ‖a − b‖/‖b‖ over the tensors of two files. */
    public static double distance(Path a, Path b) throws IOException {
        try (Scope scope = Scope.open()) {
            Map<String, Tensor> first = weights(a);
            double largest = 0;
            for (Map.Entry<String, Tensor> entry : weights(b).entrySet()) {
                Tensor there = entry.getValue();
                double length = there.norm().item_double();
                double apart = Objects.requireNonNull(first.get(entry.getKey()))
                        .sub(there)
                        .norm()
                        .item_double();
                largest = Math.max(largest, apart / Math.max(length, 1e-6));
            }
            return largest;
        }
    }
}
