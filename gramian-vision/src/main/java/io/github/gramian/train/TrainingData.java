package io.github.gramian.train;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.inspect.internal.TrainingWarnings;
import io.github.gramian.dataset.internal.ContentHash;
import io.github.gramian.feature.internal.CachedFeatures;
import io.github.gramian.feature.internal.ContentKey;
import io.github.gramian.feature.internal.FeatureCache;
import io.github.gramian.feature.internal.FeatureExtraction;
import io.github.gramian.feature.internal.FeatureRequest;
import io.github.gramian.feature.internal.LiveFeatures;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.Rejection;
import io.github.gramian.image.codec.internal.HeifAdvice;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.UnseenPixels;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.model.internal.KnownImages;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.RunInputs;
import io.github.gramian.tensor.Placement;
import io.github.gramian.train.internal.ScaleExtraction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The images of a run with the features of the frozen backbone, split by split. Broken files are left out. */
final class TrainingData implements AutoCloseable {

    private static final String SEE_ALL =
            ". To use whole images, train with --set views.test=whole (squeezed to a square)"
                    + " or --set views.test=five (five crops, five times the features)";

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

    /** The features of one of the network's scales, and what of them is missing. */
    private record Planned(ScaleExtraction scale, FeatureExtraction.Plan plan) {}

    /** Reads all files, once for each scale, computes the features that are not in the cache, and opens them. */
    static TrainingData prepare(
            Dataset dataset,
            NetworkConfig network,
            FrozenFeatures features,
            Placement placement,
            TrainingOptions options,
            SumsCheck check)
            throws IOException {
        List<Planned> scales = plan(dataset, NetworkFeatures.of(network).scales(), features, options.cache());
        List<Optional<String>> sums = scales.get(0).plan().keys().stream()
                .map(key -> key.map(ContentKey::hex))
                .toList();
        check.accept(sums);
        TrainingWarnings.of(dataset, sums)
                .forEach(warning -> options.listener().onEvent(new TrainingEvent.Note("warning: " + warning)));
        UnseenPixels.note(scales.get(0).plan().files(), features.views())
                .ifPresent(
                        sentence -> options.listener().onEvent(new TrainingEvent.Note("note: " + sentence + SEE_ALL)));
        checkRoom(options.cache(), scales);
        TrainingData data = new TrainingData(
                dataset, network, placement, sums, ContentHash.of(dataset.listing(), sums), options.listener());
        scales.forEach(scale -> data.noteDamage(scale.plan()));
        try {
            for (Planned planned : scales) {
                FeatureExtraction.Summary summary = planned.scale()
                        .extraction()
                        .run(
                                planned.plan(),
                                (done, total) -> options.listener().onEvent(new TrainingEvent.Features(done, total)));
                data.noteBroken(summary, planned.plan());
                data.caches.add(
                        FeatureCache.open(options.cache(), planned.scale().recipe()));
            }
            requireTrainable(dataset, data.samples(Split.TRAIN), data.samples(Split.TEST));
            return data;
        } catch (IOException | RuntimeException failure) {
            data.close();
            throw failure;
        }
    }

    private static List<Planned> plan(
            Dataset dataset, List<FeatureRequest.Scale> scales, FrozenFeatures features, Path cache)
            throws IOException {
        List<Path> files = dataset.samples().stream().map(dataset::file).toList();
        List<Planned> planned = new ArrayList<>();
        for (int s = 0; s < scales.size(); s++) {
            ScaleExtraction scale = ScaleExtraction.of(
                    features.backbone(), scales.get(s).taps(), features.views().get(s), cache);
            planned.add(new Planned(scale, scale.extraction().plan(files)));
        }
        return planned;
    }

    private static void checkRoom(Path cache, List<Planned> scales) throws IOException {
        long needed = scales.stream().mapToLong(scale -> scale.plan().bytes()).sum();
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
        long unconverted = 0;
        for (int i = 0; i < plan.files().size(); i++) {
            Sample sample = dataset.samples().get(i);
            plan.keys().get(i).ifPresent(key -> keys.put(sample.id(), key));
            Path file = plan.files().get(i);
            Decoded.Rejected why = summary.rejects().get(file);
            if (why == null || !broken.add(sample.id())) {
                continue;
            }
            if (why.reason() == Rejection.NEEDS_CONVERTER) {
                unconverted++; // one line for all of them: a telephone writes thousands
            } else {
                listener.onEvent(new TrainingEvent.Note("left out " + sample.path() + ": " + why.sentence()));
            }
        }
        HeifAdvice.of(unconverted).ifPresent(advice -> listener.onEvent(new TrainingEvent.Note(advice)));
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
        return KnownImages.of(sums(Split.TRAIN, Split.VALIDATION));
    }

    private int[] labels(Split... splits) {
        return samples(splits).stream().mapToInt(Sample::label).toArray();
    }

    /** The cached features of some splits. */
    CachedFeatures cached(Split... splits) {
        return new CachedFeatures(
                NetworkFeatures.of(network),
                caches,
                keys(splits),
                labels(splits),
                placement,
                text -> listener.onEvent(new TrainingEvent.Note(text)));
    }

    private List<ContentKey> keys(Split... splits) {
        return samples(splits).stream()
                .map(sample -> Objects.requireNonNull(keys.get(sample.id())))
                .toList();
    }

    /** SHA-256 of the files of some splits. */
    private List<String> sums(Split... splits) {
        return keys(splits).stream().map(ContentKey::hex).toList();
    }

    /** Features of some splits that a backbone computes as they are needed. */
    LiveFeatures live(Backbone backbone, List<Preprocessing> views, Split... splits) {
        List<Path> files = samples(splits).stream().map(dataset::file).toList();
        return new LiveFeatures(
                NetworkFeatures.of(network),
                backbone,
                ImageSource.ofFiles(files, sums(splits), ImageDecoder.forLocalFiles()),
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
