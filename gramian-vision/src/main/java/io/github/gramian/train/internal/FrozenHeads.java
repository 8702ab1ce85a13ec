package io.github.gramian.train.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.eval.Prediction;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.feature.internal.FeatureRequest;
import io.github.gramian.feature.internal.LiveFeatures;
import io.github.gramian.image.Augmentation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.corruption.internal.Corruption;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.ViewsConfig;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;

/**
 * Saved models that share one frozen backbone and the same views of an image. The backbone computes the features of an image once,
 * and all models classify them.
 */
public final class FrozenHeads implements AutoCloseable {

    private static final int BATCH = 16;

    private final Backbone backbone;
    private final List<Network> networks = new ArrayList<>();
    private final FeatureRequest request;
    private final List<Preprocessing> views;

    private FrozenHeads(Backbone backbone, List<Recipe> recipes) {
        this.backbone = backbone;
        this.request = new FeatureRequest(recipes.stream()
                .flatMap(recipe -> NetworkFeatures.of(recipe.network().on(backbone)).inputs().stream())
                .toList());
        this.views = request.scales().stream()
                .map(scale -> recipes.get(0).views().test(scale.size(), backbone.normalisation()))
                .toList();
    }

    /**
     * Whether models of these two recipes can be evaluated together.
     *
     * @param first of a model with a frozen backbone
     * @param second of another model with a frozen backbone
     */
    public static boolean share(Recipe first, Recipe second) {
        ViewsConfig one = first.views();
        ViewsConfig other = second.views();
        return first.backbone().equals(second.backbone())
                && one.decoding() == other.decoding()
                && one.margin() == other.margin()
                && one.test().equals(other.test());
    }

    /**
     * Loads models.
     *
     * @param recipes of the models, which {@link #share} a backbone
     * @param models files of the models, in the order of the recipes
     */
    public static FrozenHeads load(List<Recipe> recipes, List<Path> models) throws IOException {
        for (Recipe recipe : recipes) {
            if (recipe.stage2().runs() || !share(recipes.get(0), recipe)) {
                throw new IllegalArgumentException(
                        "models are evaluated together only if they share a frozen backbone and views");
            }
        }
        FrozenHeads heads = new FrozenHeads(RecipeBackbone.load(recipes.get(0), TrainingListener.silent()), recipes);
        try {
            for (Path model : models) {
                try (StoredModel file = StoredModel.open(model)) {
                    heads.networks.add(file.network(recipes.get(0).backbone().head()));
                }
            }
            return heads;
        } catch (IOException | RuntimeException failure) {
            heads.close();
            throw failure;
        }
    }

    /**
     * The most probable class of each corrupted image, for each model.
     *
     * @param progress is called with the number of images done
     * @return [models][images]
     */
    public int[][] predict(List<Path> files, Corruption corruption, IntConsumer progress) {
        Augmentation change = Augmentation.corruption(corruption.type().key(), corruption.severity());
        LiveFeatures features = new LiveFeatures(
                request,
                backbone,
                ImageSource.ofFiles(files, ImageDecoder.forLocalFiles()),
                views.stream()
                        .map(view -> view.withAugmentations(List.of(change)))
                        .toList(),
                new int[files.size()],
                networks.get(0).placement());
        int[][] predicted = new int[networks.size()][files.size()];
        int done = 0;
        try (NoGradGuard noGradients = new NoGradGuard();
                BatchSource.Stream batches = features.open(features.inOrder(), BATCH, new Seed(0))) {
            while (batches.hasNext()) {
                try (Scope scope = Scope.open()) {
                    BatchSource.Batch batch = batches.next();
                    classify(batch, features.views(), predicted);
                    done += batch.images().length;
                    progress.accept(done);
                }
            }
        }
        return predicted;
    }

    private void classify(BatchSource.Batch batch, int viewsOfImage, int[][] predicted) {
        int branch = 0;
        for (int head = 0; head < networks.size(); head++) {
            Network network = networks.get(head);
            int branches = network.config().branches().size();
            Tensor descriptors = network.describe(batch.maps().subList(branch, branch + branches));
            float[][] rows = HostCopy.rows(FeatureMaps.fuseViews(network.probabilities(descriptors), viewsOfImage));
            for (int i = 0; i < rows.length; i++) {
                predicted[head][batch.images()[i]] = Prediction.argmax(rows[i]);
            }
            branch += branches;
        }
    }

    @Override
    public void close() {
        networks.forEach(Network::close);
        backbone.close();
    }
}
