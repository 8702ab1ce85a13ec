package io.github.gramian.train;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.ContentHash;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.dataset.internal.Groups;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.CachedFeatures;
import io.github.gramian.feature.internal.ContentKey;
import io.github.gramian.feature.internal.FeatureCache;
import io.github.gramian.feature.internal.GroupedSource;
import io.github.gramian.feature.internal.JoinedSource;
import io.github.gramian.feature.internal.LiveFeatures;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.model.internal.KnownImages;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.internal.RunInputs;
import io.github.gramian.tensor.Placement;
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
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The images of a run with the features of the frozen backbone, split by split. Broken files are left out. */
final class FeatureSet implements Closeable {

    private final Dataset dataset;
    private final NetworkConfig network;
    private final Placement placement;
    private final List<FeatureCache> caches;
    private final List<List<FeatureCache>> copies;
    private final Map<String, ContentKey> keys;
    private final Set<String> broken;
    private final List<Optional<String>> sums;
    private final ContentHash hash;
    private final Consumer<String> notes;

    /**
     * @param prepared features of all images
     * @param placement of the head
     * @param notes receives what happens while features are read
     */
    FeatureSet(
            Dataset dataset,
            NetworkConfig network,
            Placement placement,
            FeaturePreparation.Prepared prepared,
            Consumer<String> notes) {
        this.dataset = dataset;
        this.network = network;
        this.placement = placement;
        this.caches = prepared.caches();
        this.copies = prepared.copies();
        this.keys = prepared.keys();
        this.broken = prepared.broken();
        this.sums = prepared.sums();
        this.hash = ContentHash.of(DividedDataset.of(dataset).listing(), sums);
        this.notes = notes;
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

    /** The cached features of some splits, as the frozen backbone computed them. */
    CachedFeatures cached(Split... splits) {
        return new CachedFeatures(NetworkFeatures.of(network), caches, keys(splits), labels(splits), placement, notes);
    }

    /** The cached features that a classifier in closed form is fitted to: those of the images, then those of their copies. */
    BatchSource fitting(Split... splits) {
        if (copies.isEmpty()) {
            return grouped(cached(splits), splits);
        }
        List<BatchSource> versions = new ArrayList<>(List.of(grouped(cached(splits), splits)));
        for (List<FeatureCache> copy : copies) {
            versions.add(new CachedFeatures(
                    NetworkFeatures.of(network), copy, keys(splits), labels(splits), placement, notes));
        }
        return new JoinedSource(versions);
    }

    /** Images of some splits with their groups, which a classifier in closed form leaves out together. */
    BatchSource grouped(BatchSource source, Split... splits) {
        Groups groups = DividedDataset.of(dataset).listing().groups();
        if (groups.isEmpty()) {
            return source;
        }
        int[] numbers = groups.numbers(dataset.samples());
        Map<String, Integer> numberOf = new HashMap<>();
        for (int i = 0; i < numbers.length; i++) {
            numberOf.put(dataset.samples().get(i).id(), numbers[i]);
        }
        return new GroupedSource(
                source,
                samples(splits).stream()
                        .mapToInt(sample -> Objects.requireNonNull(numberOf.get(sample.id())))
                        .toArray());
    }

    private List<ContentKey> keys(Split... splits) {
        return samples(splits).stream()
                .map(sample -> Objects.requireNonNull(keys.get(sample.id())))
                .toList();
    }

    /** The readable files of some splits. */
    List<Path> files(Split... splits) {
        return samples(splits).stream().map(dataset::file).toList();
    }

    /** SHA-256 of the files of some splits. */
    private List<String> sums(Split... splits) {
        return keys(splits).stream().map(ContentKey::hex).toList();
    }

    /** Features of some splits that a backbone computes from the images when they are needed. */
    LiveFeatures live(Backbone backbone, List<Preprocessing> views, Split... splits) {
        List<Path> files = files(splits);
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
        for (List<FeatureCache> copy : copies) {
            for (FeatureCache cache : copy) {
                cache.close();
            }
        }
    }
}
