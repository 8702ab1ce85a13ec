package io.github.gramian.feature.internal;

import io.github.gramian.feature.internal.ContentIndex.Place;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;

/**
 * Features on disk, found by the content of an image's file. One directory per recipe, with shards that are never changed once
 * they are there, so that any number of processes may read while one fills.
 *
 * <p>An open cache shows the shards that were complete when it was opened. Nothing of a shard is used before all of it was
 * compared with its checksum, which happens once, when its first image is requested.
 */
public final class FeatureCache implements AutoCloseable {

    private static final Pattern SHARD = Pattern.compile("shard-(\\d{6,9})\\.safetensors");
    private static final String INDEX = "index.bin";

    private final Path folder;
    private final FeatureRecipe recipe;
    private final List<FeatureShard> shards;
    private final List<Path> unreadable;
    private final ContentIndex index;

    private FeatureCache(
            Path folder, FeatureRecipe recipe, List<FeatureShard> shards, List<Path> unreadable, ContentIndex index) {
        this.folder = folder;
        this.recipe = recipe;
        this.shards = shards;
        this.unreadable = unreadable;
        this.index = index;
    }

    /** The features of a recipe below a folder that may hold those of many recipes; nothing there yet is fine. */
    public static FeatureCache open(Path root, FeatureRecipe recipe) throws IOException {
        Path folder = folder(root, recipe);
        List<FeatureShard> shards = new ArrayList<>();
        List<Path> unreadable = new ArrayList<>();
        try {
            for (Path file : shardFiles(folder)) {
                try {
                    shards.add(FeatureShard.open(file, recipe));
                } catch (SafetensorsException e) {
                    unreadable.add(file);
                }
            }
            return new FeatureCache(
                    folder, recipe, shards, unreadable, ContentIndex.open(folder.resolve(INDEX), shards));
        } catch (IOException | RuntimeException failure) {
            for (FeatureShard shard : shards) {
                shard.close();
            }
            throw failure;
        }
    }

    /** Where the features of a recipe lie. */
    static Path folder(Path root, FeatureRecipe recipe) {
        return root.resolve(recipe.hash());
    }

    /** The complete shards, in order. A number may be missing: a damaged shard was taken away. */
    static List<Path> shardFiles(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        Map<Integer, Path> shards = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "shard-*")) {
            for (Path file : files) {
                Matcher name = SHARD.matcher(file.getFileName().toString());
                if (name.matches()) {
                    shards.put(Integer.parseInt(name.group(1)), file);
                }
            }
        }
        return List.copyOf(shards.values());
    }

    static Path shardFile(Path folder, int number) {
        return folder.resolve(String.format(Locale.ROOT, "shard-%06d.safetensors", number));
    }

    public FeatureRecipe recipe() {
        return recipe;
    }

    public Path folder() {
        return folder;
    }

    public long images() {
        return index.images();
    }

    public boolean contains(ContentKey key) {
        return index.find(key).filter(place -> !place.isRejected()).isPresent();
    }

    /** Why an image has no features, if it was tried. */
    public Optional<Decoded.Rejected> rejection(ContentKey key) throws IOException {
        Optional<Place> place = index.find(key).filter(Place::isRejected);
        return place.isEmpty()
                ? Optional.empty()
                : Optional.of(shard(key, place.get()).reason(place.get().rejectedNumber()));
    }

    /** The shard that contains an image, with its features or with the reason why it has none. */
    Optional<Path> shardOf(ContentKey key) {
        return index.find(key).map(place -> shards.get(place.shard()).path());
    }

    /**
     * The features of some images: [images, views, …] of one tap, in the recipe's storage, in the caller's scope. Takes
     * one copy from the mapped files.
     *
     * @throws CacheException if an image has none, or they are damaged
     */
    public Tensor features(String tap, List<ContentKey> keys) throws IOException {
        FeatureRecipe.TapShape shape = recipe.taps().stream()
                .filter(candidate -> candidate.name().equals(tap))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "the cache has no features of '" + tap + "'; it has " + recipe.tapNames()));
        Tensor batch = TensorBytes.allocate(recipe.storage(), recipe.shape(shape, keys.size()));
        ByteBuffer target = TensorBytes.memory(batch);
        for (ContentKey key : keys) {
            Place place = place(key);
            target.put(shard(key, place).row(tap, place.row()));
        }
        return batch;
    }

    private Place place(ContentKey key) throws CacheException {
        return index.find(key)
                .filter(found -> !found.isRejected())
                .orElseThrow(() -> new CacheException(
                        "no features of image " + key.hex() + "; fill the cache with: gramian features"));
    }

    /** The shard at a place, intact, which has this image there. */
    private FeatureShard shard(ContentKey key, Place place) throws IOException {
        FeatureShard shard = shards.get(place.shard());
        if (!shard.isIntact()) {
            throw new CacheException(shard.path()
                    + " is damaged: its checksum does not match; run the command again to compute it again");
        }
        ContentKey there = place.isRejected() ? shard.rejectedImage(place.rejectedNumber()) : shard.image(place.row());
        if (!there.equals(key)) {
            throw new CacheException(folder.resolve(INDEX) + " was damaged while it was open; run the command again");
        }
        return shard;
    }

    /**
     * A fingerprint of the features of some images: other values, or another order, have another fingerprint. Computed from
     * the checksums of the shards.
     */
    public String fingerprint(List<ContentKey> keys) throws IOException {
        Sha256 sum = new Sha256();
        for (ContentKey key : keys) {
            Place place = place(key);
            String line = key.hex() + " " + shard(key, place).seal() + " " + place.row() + "\n";
            sum.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
        }
        return sum.hex();
    }

    /** Reads every byte and names the shards that are not as they were written. */
    public List<Path> damagedShards() throws IOException {
        return damaged(shards);
    }

    /** As above, for the shards that know one of these images, and those that cannot be opened at all. */
    List<Path> damagedShards(Collection<ContentKey> keys) throws IOException {
        Set<FeatureShard> asked = new LinkedHashSet<>();
        for (ContentKey key : keys) {
            index.find(key).ifPresent(place -> asked.add(shards.get(place.shard())));
        }
        return damaged(asked);
    }

    private List<Path> damaged(Collection<FeatureShard> asked) throws IOException {
        try {
            return Stream.concat(
                            unreadable.stream(),
                            asked.parallelStream()
                                    .filter(FeatureCache::isDamaged)
                                    .map(FeatureShard::path))
                    .sorted()
                    .toList();
        } catch (UncheckedIOException failure) {
            throw new IOException(failure.getMessage(), failure);
        }
    }

    private static boolean isDamaged(FeatureShard shard) {
        try {
            return !shard.isIntact();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void close() throws IOException {
        for (FeatureShard shard : shards) {
            shard.close();
        }
    }
}
