package io.github.gramian.train;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.ContentHash;
import io.github.gramian.feature.internal.CachedFeatures;
import io.github.gramian.feature.internal.ContentKey;
import io.github.gramian.feature.internal.FeatureCache;
import io.github.gramian.feature.internal.FeatureExtraction;
import io.github.gramian.feature.internal.FeatureRecipe;
import io.github.gramian.feature.internal.FeatureRequest;
import io.github.gramian.feature.internal.LiveFeatures;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.image.internal.ViewBudget;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.internal.KnownImages;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.RunInputs;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.TensorType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The images of a run with the features of the frozen backbone, split by split. Broken files are left out. */
final class TrainingData implements AutoCloseable {

    private static final int EXTRACTION_BATCH = 16;

    private final Dataset dataset;
    private final NetworkConfig network;
    private final Placement placement;
    private final List<FeatureCache> caches = new ArrayList<>();
    private final Map<String, ContentKey> keys = new HashMap<>();
    private final Set<String> broken = new HashSet<>();
    private final List<Optional<String>> sums;
    private final ContentHash hash;
    private final TrainingListener listener;

    private TrainingData(
            Dataset dataset,
            NetworkConfig network,
            Placement placement,
            List<Optional<String>> sums,
            ContentHash hash,
            TrainingListener listener) {
        this.dataset = dataset;
        this.network = network;
        this.placement = placement;
        this.sums = sums;
        this.hash = hash;
        this.listener = listener;
    }

    /** Receives the hashes of the files before features are computed. */
    @FunctionalInterface
    interface SumsCheck {
        void accept(List<Optional<String>> sums) throws IOException;
    }

    /** Reads all files once, computes the features that are not in the cache, and opens them. */
    static TrainingData prepare(
            Dataset dataset,
            NetworkConfig network,
            FrozenFeatures features,
            Placement placement,
            TrainingOptions options,
            SumsCheck check)
            throws IOException {
        Backbone backbone = features.backbone();
        List<Preprocessing> views = features.views();
        List<Path> files = dataset.samples().stream().map(dataset::file).toList();
        List<FeatureExtraction.Plan> plans = new ArrayList<>();
        List<FeatureRecipe> recipes = new ArrayList<>();
        List<FeatureExtraction> extractions = new ArrayList<>();
        List<FeatureRequest.Scale> scales = network.scales();
        for (int s = 0; s < scales.size(); s++) {
            FeatureRecipe recipe =
                    FeatureRecipe.of(backbone, scales.get(s).taps(), views.get(s), new Seed(0), TensorType.F16);
            FeatureExtraction extraction = new FeatureExtraction(
                    options.cache(),
                    recipe,
                    backbone,
                    new ImageDecoder(ImageLimits.DEFAULT),
                    LoaderSettings.defaults(
                            Math.min(EXTRACTION_BATCH, ViewBudget.largestBatch(List.of(views.get(s))))));
            recipes.add(recipe);
            extractions.add(extraction);
            plans.add(extraction.plan(files));
        }
        List<Optional<String>> sums = plans.get(0).keys().stream()
                .map(key -> key.map(ContentKey::hex))
                .toList();
        check.accept(sums);
        checkRoom(options.cache(), plans);
        TrainingData data = new TrainingData(
                dataset, network, placement, sums, ContentHash.of(dataset.listing(), sums), options.listener());
        plans.forEach(data::noteDamage);
        try {
            for (int s = 0; s < scales.size(); s++) {
                FeatureExtraction.Summary summary = extractions
                        .get(s)
                        .run(
                                plans.get(s),
                                (done, total) -> options.listener().onEvent(new TrainingEvent.Features(done, total)));
                data.noteBroken(summary, plans.get(s));
                data.caches.add(FeatureCache.open(options.cache(), recipes.get(s)));
            }
            requireTrainable(dataset, data.samples(Split.TRAIN), data.samples(Split.TEST));
            return data;
        } catch (IOException | RuntimeException failure) {
            data.close();
            throw failure;
        }
    }

    private static void checkRoom(Path cache, List<FeatureExtraction.Plan> plans) throws IOException {
        long needed = plans.stream().mapToLong(FeatureExtraction.Plan::bytes).sum();
        if (needed == 0) {
            return;
        }
        AtomicFile.makeFolder(cache);
        long free = Files.getFileStore(cache).getUsableSpace();
        if (needed > free) {
            throw new IOException("the features need " + (needed >> 10) + " kB and " + cache + " has " + (free >> 10)
                    + " kB left; choose another folder with --cache");
        }
    }

    private void noteDamage(FeatureExtraction.Plan plan) {
        if (!plan.missing().isEmpty()) {
            plan.damaged()
                    .forEach(shard -> listener.onEvent(
                            new TrainingEvent.Note(shard + " is damaged; its features are computed again")));
        }
    }

    private void noteBroken(FeatureExtraction.Summary summary, FeatureExtraction.Plan plan) {
        for (int i = 0; i < plan.files().size(); i++) {
            Sample sample = dataset.samples().get(i);
            plan.keys().get(i).ifPresent(key -> keys.put(sample.id(), key));
            Path file = plan.files().get(i);
            if (summary.rejects().containsKey(file) && broken.add(sample.id())) {
                listener.onEvent(new TrainingEvent.Note("left out " + sample.path() + ": "
                        + java.util.Objects.requireNonNull(summary.rejects().get(file))
                                .sentence()));
            }
        }
    }

    /** Every class needs training images, and there must be test images. */
    static void requireTrainable(Dataset dataset, List<Sample> training, List<Sample> test) {
        if (dataset.classes().size() < 2) {
            throw new DatasetException("there is only one class, '"
                    + dataset.classes().get(0) + "'; a classifier needs at least two class folders");
        }
        int[] images = new int[dataset.classes().size()];
        training.forEach(sample -> images[sample.label()]++);
        for (int label = 0; label < images.length; label++) {
            if (images[label] == 0) {
                throw new DatasetException(
                        "class '" + dataset.classes().get(label)
                                + "' has no image left to train on; give every class at least 3 images, some to train and some to test");
            }
        }
        if (test.isEmpty()) {
            throw new DatasetException("no image is left to test on; give every class at least 3 images");
        }
    }

    Dataset dataset() {
        return dataset;
    }

    ContentHash hash() {
        return hash;
    }

    /** The inputs of a run with these images. */
    RunInputs inputs(Recipe recipe, String weights) {
        return RunInputs.of(recipe, weights, dataset, sums, broken);
    }

    /** The readable samples of some splits, one after the other. */
    List<Sample> samples(Split... splits) {
        return Stream.of(splits)
                .flatMap(split -> dataset.samples(split).stream())
                .filter(sample -> !broken.contains(sample.id()))
                .toList();
    }

    /** The images that training uses: training and validation images. */
    KnownImages known() {
        return KnownImages.of(samples(Split.TRAIN, Split.VALIDATION).stream()
                .map(sample ->
                        java.util.Objects.requireNonNull(keys.get(sample.id())).hex())
                .toList());
    }

    private int[] labels(Split... splits) {
        return samples(splits).stream().mapToInt(Sample::label).toArray();
    }

    /** The cached features of some splits. */
    CachedFeatures cached(Split... splits) {
        return new CachedFeatures(
                network.features(),
                caches,
                keys(splits),
                labels(splits),
                placement,
                text -> listener.onEvent(new TrainingEvent.Note(text)));
    }

    private List<ContentKey> keys(Split... splits) {
        return samples(splits).stream()
                .map(sample -> java.util.Objects.requireNonNull(keys.get(sample.id())))
                .toList();
    }

    /** Features of some splits that a backbone computes as they are needed. */
    LiveFeatures live(Backbone backbone, List<Preprocessing> views, Split... splits) {
        List<Path> files = samples(splits).stream().map(dataset::file).toList();
        List<String> sums = keys(splits).stream().map(ContentKey::hex).toList();
        return new LiveFeatures(
                network.features(),
                backbone,
                ImageSource.ofFiles(files, sums, new ImageDecoder(ImageLimits.DEFAULT)),
                views,
                labels(splits),
                placement);
    }

    @Override
    public void close() throws IOException {
        for (FeatureCache cache : caches) {
            cache.close();
        }
    }
}
