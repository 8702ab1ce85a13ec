package io.github.gramian.feature.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.Rejection;
import io.github.gramian.image.codec.internal.HeifAdvice;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.image.internal.ViewBudget;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.TensorType;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * The features of a frozen backbone for the images of a dataset, as they are or in changed copies. Features that the cache does
 * not have are computed; files that cannot be read are reported and left out.
 *
 * <p>Versions with the same views share their features: the backbone runs once for all layers that any of them takes.
 */
public final class FrozenFeatures implements Closeable {

    private static final int BATCH = 16;

    /** Number of images that measure the speed of the backbone. */
    private static final int PROBED = 4;

    private final Backbone backbone;
    private final Dataset dataset;
    private final List<Preprocessing> views;
    private final Path cache;
    private final Consumer<String> notes;
    private final Map<String, Scale> scales = new LinkedHashMap<>();
    private final Map<String, ContentKey> keys = new HashMap<>();
    private final Set<String> broken = new HashSet<>();

    /**
     * One version of all images.
     *
     * @param request what the branches of a network take
     * @param views for each of the request's scales, with the changes of a copy
     * @param seed of random changes
     */
    public record Version(FeatureRequest request, List<Preprocessing> views, Seed seed) {

        public Version {
            views = List.copyOf(views);
        }

        private String key(int scale) {
            return views.get(scale).identity() + " " + seed.value();
        }
    }

    /**
     * Of some versions; nothing is computed yet.
     *
     * @param versions all that will be requested; the first one shows the images as they are
     * @param cache directory for features
     * @param notes receives messages about files that are left out or damaged
     */
    public FrozenFeatures(
            Backbone backbone, Dataset dataset, List<Version> versions, Path cache, Consumer<String> notes) {
        this.backbone = backbone;
        this.dataset = dataset;
        this.views = versions.get(0).views();
        this.cache = cache;
        this.notes = notes;
        Map<String, Set<String>> taps = new HashMap<>();
        for (Version version : versions) {
            for (int i = 0; i < version.views().size(); i++) {
                taps.computeIfAbsent(version.key(i), key -> new LinkedHashSet<>())
                        .addAll(version.request().scales().get(i).taps());
            }
        }
        for (Version version : versions) {
            for (int i = 0; i < version.views().size(); i++) {
                String key = version.key(i);
                if (!scales.containsKey(key)) {
                    List<String> all = List.copyOf(Objects.requireNonNull(taps.get(key)));
                    scales.put(key, new Scale(version.views().get(i), version.seed(), all));
                }
            }
        }
    }

    /** The backbone as it was loaded. */
    public Backbone backbone() {
        return backbone;
    }

    /** How images become the backbone's input, for each scale of the first version. */
    public List<Preprocessing> views() {
        return views;
    }

    /** SHA-256 of the images' files; empty for a file that cannot be read. */
    public List<Optional<String>> sums(List<Sample> samples) throws IOException {
        return scales.values().iterator().next().plan(samples).keys().stream()
                .map(key -> key.map(ContentKey::hex))
                .toList();
    }

    /**
     * Computes the missing features of one version of some images.
     *
     * @param progress called after each batch; may throw to stop
     */
    public void fill(Version version, List<Sample> samples, FeatureExtraction.Progress progress) throws IOException {
        List<Scale> incomplete = scales(version).stream()
                .filter(scale -> !scale.isFilled(samples))
                .toList();
        requireSpace(incomplete, samples);
        for (Scale scale : incomplete) {
            FeatureExtraction.Plan plan = scale.plan(samples);
            if (!plan.missing().isEmpty()) {
                plan.damaged().forEach(shard -> notes.accept(shard + " is damaged; its features are computed again"));
            }
        }
        for (Scale scale : incomplete) {
            FeatureExtraction.Plan plan = scale.plan(samples);
            noteBroken(samples, plan, scale.fill(samples, progress));
        }
    }

    private void requireSpace(List<Scale> incomplete, List<Sample> samples) throws IOException {
        long needed = 0;
        for (Scale scale : incomplete) {
            needed += scale.plan(samples).bytes();
        }
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

    private void noteBroken(List<Sample> samples, FeatureExtraction.Plan plan, FeatureExtraction.Summary summary) {
        long unconverted = 0;
        for (int i = 0; i < samples.size(); i++) {
            Sample sample = samples.get(i);
            plan.keys().get(i).ifPresent(key -> keys.put(sample.id(), key));
            Decoded.Rejected why = summary.rejects().get(plan.files().get(i));
            if (why == null || !broken.add(sample.id())) {
                continue;
            }
            if (why.reason() == Rejection.NEEDS_CONVERTER) {
                unconverted++; // one line for all of them: a telephone writes thousands
            } else {
                notes.accept("left out " + sample.path() + ": " + why.sentence());
            }
        }
        HeifAdvice.of(unconverted).ifPresent(notes);
    }

    /** Whether no features could be computed for an image. */
    public boolean isBroken(Sample sample) {
        return broken.contains(sample.id());
    }

    /** The images that have features, in their order. */
    public List<Sample> readable(List<Sample> samples) {
        return samples.stream().filter(sample -> !isBroken(sample)).toList();
    }

    /** SHA-256 of the files of images that have features. */
    public List<String> sumsOfReadable(List<Sample> samples) {
        return keys(samples).stream().map(ContentKey::hex).toList();
    }

    private List<ContentKey> keys(List<Sample> samples) {
        return samples.stream()
                .map(sample -> Objects.requireNonNull(keys.get(sample.id())))
                .toList();
    }

    /**
     * The features of one version of some images.
     *
     * @param samples readable images, for which this version is filled
     * @param placement of the network that takes them
     */
    public CachedFeatures source(Version version, List<Sample> samples, Placement placement) {
        return new CachedFeatures(
                version.request(),
                scales(version).stream()
                        .map(scale -> Objects.requireNonNull(scale.open))
                        .toList(),
                keys(samples),
                samples.stream().mapToInt(Sample::label).toArray(),
                placement,
                notes);
    }

    /** Seconds that the missing features of some versions will take. */
    public double seconds(Collection<Version> versions, List<Sample> samples) {
        return seconds(distinct(versions), samples);
    }

    /** Seconds that those missing features will take that two lists of versions have in common. */
    public double sharedSeconds(Collection<Version> some, Collection<Version> others, List<Sample> samples) {
        Set<Scale> both = distinct(some);
        both.retainAll(distinct(others));
        return seconds(both, samples);
    }

    private static double seconds(Set<Scale> scales, List<Sample> samples) {
        try {
            double sum = 0;
            for (Scale scale : scales) {
                int missing = scale.isFilled(samples)
                        ? 0
                        : scale.plan(samples).missing().size();
                sum += missing == 0 ? 0 : missing * scale.secondsPerImage();
            }
            return sum;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Seconds that the backbone takes for one image of a version. */
    public double secondsPerImage(Version version) {
        return scales(version).stream().mapToDouble(Scale::secondsPerImage).sum();
    }

    /**
     * Copies features of a version into the cache of its own layers alone, where a training looks for them. The backbone does
     * not run.
     */
    public void handOver(Version version, List<Sample> samples) throws IOException {
        List<FeatureRequest.Scale> requested = version.request().scales();
        for (int i = 0; i < requested.size(); i++) {
            scale(version, i).copyTo(requested.get(i).taps(), samples);
        }
    }

    private Scale scale(Version version, int place) {
        return Objects.requireNonNull(scales.get(version.key(place)));
    }

    private List<Scale> scales(Version version) {
        List<Scale> found = new ArrayList<>();
        for (int i = 0; i < version.views().size(); i++) {
            found.add(scale(version, i));
        }
        return found;
    }

    private Set<Scale> distinct(Collection<Version> versions) {
        Set<Scale> found = new LinkedHashSet<>();
        versions.forEach(version -> found.addAll(scales(version)));
        return found;
    }

    @Override
    public void close() throws IOException {
        for (Scale scale : scales.values()) {
            scale.close();
        }
    }

    /** The features of one image size and its views, read from one open cache. */
    private final class Scale implements Closeable {

        private final Preprocessing views;
        private final Seed seed;
        private final FeatureRecipe recipe;
        private final FeatureExtraction extraction;

        /** What is missing, by the images that were asked for. */
        private final Map<List<Sample>, FeatureExtraction.Plan> plans = new HashMap<>();

        private final Set<String> filled = new HashSet<>();
        private @Nullable FeatureCache open;
        private double secondsPerImage;

        Scale(Preprocessing views, Seed seed, List<String> taps) {
            ViewBudget.require(List.of(views), 1);
            this.views = views;
            this.seed = seed;
            this.recipe = recipe(taps);
            this.extraction = extraction(recipe);
        }

        private FeatureRecipe recipe(List<String> taps) {
            return FeatureRecipe.of(backbone, taps, views, seed, TensorType.F16);
        }

        private FeatureExtraction extraction(FeatureRecipe of) {
            int batch = Math.min(BATCH, ViewBudget.largestBatch(List.of(views)));
            return new FeatureExtraction(
                    cache, of, backbone, ImageDecoder.forLocalFiles(), LoaderSettings.defaults(batch));
        }

        FeatureExtraction.Plan plan(List<Sample> samples) throws IOException {
            FeatureExtraction.Plan known = plans.get(samples);
            if (known == null) {
                known = extraction.plan(files(samples));
                plans.put(samples, known);
            }
            return known;
        }

        boolean isFilled(List<Sample> samples) {
            return open != null && samples.stream().map(Sample::id).allMatch(filled::contains);
        }

        /** Computes what is missing and opens the cache. */
        FeatureExtraction.Summary fill(List<Sample> samples, FeatureExtraction.Progress progress) throws IOException {
            FeatureExtraction.Plan now = plan(samples);
            plans.clear(); // what is missing changes now, however far this gets
            long start = System.nanoTime();
            FeatureExtraction.Summary summary = extraction.run(now, progress);
            if (summary.computed() >= PROBED) {
                secondsPerImage = (System.nanoTime() - start) / 1e9 / summary.computed();
            }
            close();
            open = FeatureCache.open(cache, recipe);
            samples.forEach(sample -> filled.add(sample.id()));
            return summary;
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

        void copyTo(List<String> taps, List<Sample> samples) throws IOException {
            FeatureRecipe fewer = recipe(taps);
            if (open != null && !fewer.hash().equals(recipe.hash())) {
                FeatureExtraction target = extraction(fewer);
                target.copy(target.plan(files(samples)), open);
            }
        }

        private List<Path> files(List<Sample> samples) {
            return samples.stream().map(dataset::file).toList();
        }

        @Override
        public void close() throws IOException {
            if (open != null) {
                open.close();
                open = null;
            }
        }
    }
}
