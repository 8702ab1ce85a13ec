package io.github.gramian.search.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.feature.internal.FeatureCache;
import io.github.gramian.feature.internal.FeatureExtraction;
import io.github.gramian.feature.internal.FeatureRecipe;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.internal.ViewBudget;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.internal.ScaleExtraction;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * The features of one image size and its views, of all layers that any candidate takes there: the backbone runs once for all
 * of them. Computed rung by rung, read from one open cache.
 */
final class ScaleFeatures implements AutoCloseable {

    private static final int PROBED = 4;

    private final Backbone backbone;
    private final Preprocessing views;
    private final Seed seed;
    private final Path root;
    private final FeatureRecipe recipe;
    private final FeatureExtraction extraction;
    private final Map<Integer, FeatureExtraction.Plan> plans = new HashMap<>();
    private @Nullable FeatureCache cache;
    private int filled = -1;
    private double secondsPerImage;

    ScaleFeatures(Backbone backbone, Preprocessing views, Seed seed, List<String> taps, Path root) {
        ViewBudget.require(List.of(views), 1);
        this.backbone = backbone;
        this.views = views;
        this.seed = seed;
        this.root = root;
        ScaleExtraction scale = ScaleExtraction.of(backbone, taps, views, seed, root);
        this.recipe = scale.recipe();
        this.extraction = scale.extraction();
    }

    /** The missing features of a rung. */
    FeatureExtraction.Plan plan(int rung, List<Path> files) throws IOException {
        FeatureExtraction.Plan known = plans.get(rung);
        if (known == null) {
            known = extraction.plan(files);
            plans.put(rung, known);
        }
        return known;
    }

    /** Images of a rung that the backbone has still to see. */
    int missing(int rung, List<Path> files) throws IOException {
        return rung <= filled ? 0 : plan(rung, files).missing().size();
    }

    /** Computes what is missing and opens the cache. */
    FeatureExtraction.Summary fill(int rung, List<Path> files, FeatureExtraction.Progress progress) throws IOException {
        FeatureExtraction.Plan now = plan(rung, files);
        plans.clear(); // what is missing changes now, however far this gets
        long start = System.nanoTime();
        FeatureExtraction.Summary summary = extraction.run(now, progress);
        if (summary.computed() >= PROBED) {
            secondsPerImage = (System.nanoTime() - start) / 1e9 / summary.computed();
        }
        close();
        cache = FeatureCache.open(root, recipe);
        filled = rung;
        return summary;
    }

    boolean isFilled(int rung) {
        return rung <= filled;
    }

    FeatureCache cache() {
        return Objects.requireNonNull(cache);
    }

    /** Measured on images if some were computed, otherwise on black ones. */
    double secondsPerImage() {
        if (secondsPerImage == 0) {
            probe();
            secondsPerImage = probe();
        }
        return secondsPerImage;
    }

    private double probe() {
        try (Scope scope = Scope.open();
                NoGradGuard noGradients = new NoGradGuard()) {
            Tensor black = torch.zeros(PROBED, 3, views.size(), views.size());
            long start = System.nanoTime();
            backbone.features(black, recipe.tapNames());
            return (System.nanoTime() - start) / 1e9 / PROBED * views.views();
        }
    }

    /** Gives features of fewer layers, as a training wants them, to the cache without running the backbone. */
    void copyTo(List<String> taps, List<Path> files) throws IOException {
        ScaleExtraction fewer = ScaleExtraction.of(backbone, taps, views, seed, root);
        if (cache != null && !fewer.recipe().hash().equals(recipe.hash())) {
            fewer.extraction().copy(fewer.extraction().plan(files), cache);
        }
    }

    @Override
    public void close() throws IOException {
        if (cache != null) {
            cache.close();
            cache = null;
        }
    }
}
