package io.github.gramian.train;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.inspect.internal.TrainingWarnings;
import io.github.gramian.feature.internal.ContentKey;
import io.github.gramian.feature.internal.FeatureCache;
import io.github.gramian.feature.internal.FeatureExtraction;
import io.github.gramian.feature.internal.FeatureRequest;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.Rejection;
import io.github.gramian.image.codec.internal.HeifAdvice;
import io.github.gramian.image.internal.UnseenPixels;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.train.internal.ScaleExtraction;
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

/** Reads all images of a run, and computes the features that are not in the cache. */
final class FeaturePreparation {

    private static final String SEE_ALL =
            ". To use whole images, train with --set views.test=whole (squeezed to a square)"
                    + " or --set views.test=five (five crops, five times the features)";

    private final TrainingContext context;
    private final Dataset dataset;
    private final NetworkConfig network;
    private final FrozenFeatures frozen;
    private final Path cache;

    FeaturePreparation(TrainingContext context, Dataset dataset, NetworkConfig network, FrozenFeatures frozen) {
        this.context = context;
        this.dataset = dataset;
        this.network = network;
        this.frozen = frozen;
        this.cache = context.options().cache();
    }

    /** The features of one of the network's scales, and which of them are missing. */
    private record Planned(ScaleExtraction scale, FeatureExtraction.Plan plan) {}

    /**
     * What was prepared.
     *
     * @param caches with the features, one per scale
     * @param copies caches of each copy of the training and validation images, one per scale
     * @param keys contents of the images, by the id of the sample
     * @param broken ids of samples that cannot be used
     * @param sums hashes of the files, in the order of the samples; empty for one that cannot be read
     */
    record Prepared(
            List<FeatureCache> caches,
            List<List<FeatureCache>> copies,
            Map<String, ContentKey> keys,
            Set<String> broken,
            List<Optional<String>> sums) {}

    /** Receives the hashes of the files before features are computed. */
    @FunctionalInterface
    interface SumsCheck {
        void accept(List<Optional<String>> sums) throws IOException;
    }

    /** Reads all files once per scale, computes missing features, and opens them. */
    FeatureSet run(SumsCheck check) throws IOException {
        context.cancellation().check();
        List<Planned> scales = plan();
        List<Optional<String>> sums = scales.get(0).plan().keys().stream()
                .map(key -> key.map(ContentKey::hex))
                .toList();
        check.accept(sums);
        TrainingWarnings.of(dataset, sums).forEach(warning -> context.note("warning: " + warning));
        UnseenPixels.note(scales.get(0).plan().files(), frozen.views())
                .ifPresent(sentence -> context.note("note: " + sentence + SEE_ALL));
        requireCapacity(scales);
        scales.forEach(scale -> noteDamage(scale.plan()));
        Prepared prepared = new Prepared(new ArrayList<>(), new ArrayList<>(), new HashMap<>(), new HashSet<>(), sums);
        FeatureSet features =
                new FeatureSet(dataset, network, context.recipe().backbone().head(), prepared, context::note);
        try {
            for (Planned planned : scales) {
                context.cancellation().check();
                extract(planned, prepared);
            }
            new CopyPreparation(context, network, frozen).run(features.files(StageSequence.ALL), prepared.copies());
            requireTrainable(dataset, features.samples(Split.TRAIN), features.samples(Split.TEST));
            return features;
        } catch (IOException | RuntimeException failure) {
            features.close();
            throw failure;
        }
    }

    private List<Planned> plan() throws IOException {
        List<Path> files = dataset.samples().stream().map(dataset::file).toList();
        List<FeatureRequest.Scale> scales = NetworkFeatures.of(network).scales();
        List<Planned> planned = new ArrayList<>();
        for (int s = 0; s < scales.size(); s++) {
            ScaleExtraction scale = ScaleExtraction.of(
                    frozen.backbone(), scales.get(s).taps(), frozen.views().get(s), cache);
            planned.add(new Planned(scale, scale.extraction().plan(files)));
        }
        return planned;
    }

    private void requireCapacity(List<Planned> scales) throws IOException {
        long needed = scales.stream().mapToLong(scale -> scale.plan().bytes()).sum();
        if (needed == 0) {
            return;
        }
        AtomicFile.makeFolder(cache);
        long free = Files.getFileStore(cache).getUsableSpace();
        if (needed > free) {
            throw new IOException("the features need " + (needed >> 10) + " kB and " + cache + " has " + (free >> 10)
                    + " kB left; choose another directory with --cache");
        }
    }

    /** Computes the features of one scale; checks for cancellation after each batch. */
    private void extract(Planned planned, Prepared prepared) throws IOException {
        FeatureExtraction.Summary summary = planned.scale().extraction().run(planned.plan(), (done, total) -> {
            context.options().listener().onEvent(new TrainingEvent.Features(done, total));
            context.cancellation().check();
        });
        noteBroken(summary, planned.plan(), prepared);
        prepared.caches().add(FeatureCache.open(cache, planned.scale().recipe()));
    }

    private void noteDamage(FeatureExtraction.Plan plan) {
        if (!plan.missing().isEmpty()) {
            plan.damaged().forEach(shard -> context.note(shard + " is damaged; its features are computed again"));
        }
    }

    private void noteBroken(FeatureExtraction.Summary summary, FeatureExtraction.Plan plan, Prepared prepared) {
        long unconverted = 0;
        for (int i = 0; i < plan.files().size(); i++) {
            Sample sample = dataset.samples().get(i);
            plan.keys().get(i).ifPresent(key -> prepared.keys().put(sample.id(), key));
            Path file = plan.files().get(i);
            Decoded.Rejected why = summary.rejects().get(file);
            if (why == null || !prepared.broken().add(sample.id())) {
                continue;
            }
            if (why.reason() == Rejection.NEEDS_CONVERTER) {
                unconverted++; // one line for all of them: a telephone writes thousands
            } else {
                context.note("left out " + sample.path() + ": " + why.sentence());
            }
        }
        HeifAdvice.of(unconverted).ifPresent(context::note);
    }

    /** Every class needs training images, and there must be test images. */
    static void requireTrainable(Dataset dataset, List<Sample> training, List<Sample> test) {
        int[] images = new int[dataset.classes().size()];
        training.forEach(sample -> images[sample.label()]++);
        for (int label = 0; label < images.length; label++) {
            if (images[label] == 0) {
                throw new DatasetException("class '" + dataset.classes().get(label)
                        + "' has no image left to train on; give every class at least 3 images, some to train"
                        + " and some to test");
            }
        }
        if (test.isEmpty()) {
            throw new DatasetException("no image is left to test on; give every class at least 3 images");
        }
    }
}
