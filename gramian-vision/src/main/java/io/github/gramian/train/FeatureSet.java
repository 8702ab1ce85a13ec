package io.github.gramian.train;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.inspect.internal.TrainingWarnings;
import io.github.gramian.dataset.internal.ContentHash;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.dataset.internal.Groups;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.CachedFeatures;
import io.github.gramian.feature.internal.FeatureExtraction;
import io.github.gramian.feature.internal.ForwardingSource;
import io.github.gramian.feature.internal.FrozenFeatures;
import io.github.gramian.feature.internal.JoinedSource;
import io.github.gramian.feature.internal.LiveFeatures;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.UnseenPixels;
import io.github.gramian.model.internal.KnownImages;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.internal.RunInputs;
import io.github.gramian.tensor.Placement;
import io.github.gramian.train.internal.RecipeBackbone;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The images of a run with the features of the frozen backbone, split by split. Broken files are left out. */
final class FeatureSet implements Closeable {

    static final Split[] TRAINING = {Split.TRAIN};
    static final Split[] ALL = {Split.TRAIN, Split.VALIDATION};

    private static final String SEE_ALL =
            ". To use whole images, train with --set views.test=whole (squeezed to a square)"
                    + " or --set views.test=five (five crops, five times the features)";

    private final Dataset dataset;
    private final Placement placement;
    private final FrozenFeatures frozen;
    private final FrozenFeatures.Version images;
    private final List<FrozenFeatures.Version> copies;
    private final List<Optional<String>> sums;
    private final ContentHash hash;

    /** @param placement of the head */
    private FeatureSet(
            Dataset dataset,
            Placement placement,
            FrozenFeatures frozen,
            FrozenFeatures.Version images,
            List<FrozenFeatures.Version> copies,
            List<Optional<String>> sums) {
        this.dataset = dataset;
        this.placement = placement;
        this.frozen = frozen;
        this.images = images;
        this.copies = copies;
        this.sums = sums;
        this.hash = ContentHash.of(DividedDataset.of(dataset).listing(), sums);
    }

    /**
     * Reads all images, and computes the features that are not in the cache: those of the images, then those of the changed
     * copies that the classifier is fitted to as well.
     *
     * @param resumable whether the inputs are compared with those that the run directory names
     */
    static FeatureSet prepare(TrainingContext context, Dataset dataset, Backbone backbone, boolean resumable)
            throws IOException {
        context.cancellation().check();
        Recipe recipe = context.recipe();
        FrozenFeatures.Version images = RecipeBackbone.images(recipe, backbone);
        List<FrozenFeatures.Version> copies = RecipeBackbone.copies(recipe, recipe.views(), backbone, 1);
        List<FrozenFeatures.Version> versions = new ArrayList<>(List.of(images));
        versions.addAll(copies);
        FrozenFeatures frozen = new FrozenFeatures(
                backbone, dataset, versions, context.options().cache(), context::note);
        try {
            List<Optional<String>> sums = frozen.sums(dataset.samples());
            if (resumable) {
                RunInputs.of(recipe, backbone.weightsHash(), dataset, sums, Set.of())
                        .requireUnchanged(context.directory(), false);
            }
            TrainingWarnings.of(dataset, sums).forEach(warning -> context.note("warning: " + warning));
            List<Path> files = dataset.samples().stream().map(dataset::file).toList();
            UnseenPixels.note(files, frozen.views()).ifPresent(sentence -> context.note("note: " + sentence + SEE_ALL));
            FeatureSet data = new FeatureSet(dataset, recipe.backbone().head(), frozen, images, copies, sums);
            data.fill(context);
            return data;
        } catch (IOException | RuntimeException failure) {
            frozen.close();
            throw failure;
        }
    }

    private void fill(TrainingContext context) throws IOException {
        FeatureExtraction.Progress progress = (done, total) -> {
            context.options().listener().onEvent(new TrainingEvent.Features(done, total));
            context.cancellation().check();
        };
        context.cancellation().check();
        frozen.fill(images, dataset.samples(), progress);
        List<Sample> fitted = samples(ALL);
        for (FrozenFeatures.Version copy : copies) {
            context.cancellation().check();
            frozen.fill(copy, fitted, progress);
        }
        requireTrainable(dataset, samples(Split.TRAIN), samples(Split.TEST));
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

    /** The features of all images, with the backbone that computed them. */
    FrozenFeatures frozen() {
        return frozen;
    }

    Dataset dataset() {
        return dataset;
    }

    ContentHash hash() {
        return hash;
    }

    /** The inputs of a run with these images. */
    RunInputs inputs(Recipe recipe) {
        Set<String> broken = dataset.samples().stream()
                .filter(frozen::isBroken)
                .map(Sample::id)
                .collect(Collectors.toSet());
        return RunInputs.of(recipe, frozen.backbone().weightsHash(), dataset, sums, broken);
    }

    /** The readable samples of some splits, one after the other. */
    List<Sample> samples(Split... splits) {
        return Stream.of(splits)
                .flatMap(split -> frozen.readable(dataset.samples(split)).stream())
                .toList();
    }

    /** The images that training uses: training and validation images. */
    KnownImages known() {
        return KnownImages.of(frozen.sumsOfReadable(samples(ALL)));
    }

    /** The cached features of some splits, as the frozen backbone computed them. */
    CachedFeatures cached(Split... splits) {
        return frozen.source(images, samples(splits), placement);
    }

    /** The cached features that a classifier in closed form is fitted to: those of the images, then those of their copies. */
    BatchSource fitting(Split... splits) {
        BatchSource unchanged = grouped(cached(splits), splits);
        if (copies.isEmpty()) {
            return unchanged;
        }
        List<BatchSource> versions = new ArrayList<>(List.of(unchanged));
        copies.forEach(copy -> versions.add(frozen.source(copy, samples(splits), placement)));
        return new JoinedSource(versions);
    }

    /** Images of some splits with their groups, which a classifier in closed form leaves out together. */
    BatchSource grouped(BatchSource source, Split... splits) {
        if (DividedDataset.of(dataset).listing().groups().isEmpty()) {
            return source;
        }
        int[] own = groups(splits);
        return new ForwardingSource(source) {
            @Override
            public int[] groups() {
                return own;
            }

            @Override
            public boolean sharesGroups() {
                return true;
            }
        };
    }

    /** The group of each readable image of some splits; each image is a group of its own if the dataset names none. */
    int[] groups(Split... splits) {
        List<Sample> samples = samples(splits);
        Groups groups = DividedDataset.of(dataset).listing().groups();
        if (groups.isEmpty()) {
            return IntStream.range(0, samples.size()).toArray();
        }
        int[] numbers = groups.numbers(dataset.samples());
        Map<String, Integer> numberOf = new HashMap<>();
        for (int i = 0; i < numbers.length; i++) {
            numberOf.put(dataset.samples().get(i).id(), numbers[i]);
        }
        return samples.stream()
                .mapToInt(sample -> Objects.requireNonNull(numberOf.get(sample.id())))
                .toArray();
    }

    /** Features of some splits that a backbone computes from the images when they are needed. */
    LiveFeatures live(Backbone backbone, List<Preprocessing> views, Split... splits) {
        List<Sample> samples = samples(splits);
        List<Path> files = samples.stream().map(dataset::file).toList();
        return new LiveFeatures(
                images.request(),
                backbone,
                ImageSource.ofFiles(files, frozen.sumsOfReadable(samples), ImageDecoder.forLocalFiles()),
                views,
                samples.stream().mapToInt(Sample::label).toArray(),
                placement);
    }

    @Override
    public void close() throws IOException {
        frozen.close();
    }
}
