package io.github.gramian.backbone.cache;

import io.github.gramian.backbone.cache.ContentIndex.Place;
import io.github.gramian.image.Decoded;
import io.github.gramian.tensor.AtomicFile;
import io.github.gramian.tensor.TensorBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;

/**
 * Features on disk, found by the content of an image's file. One folder a recipe, with shards that are never changed once
 * they are there, so that any number of processes may read while one fills.
 *
 * <p>An open cache shows the shards that were complete when it was opened.
 */
public final class FeatureCache implements AutoCloseable {

    private static final String INDEX = "index.bin";
    private static final String RECIPE = "recipe.txt";

    private final Path folder;
    private final FeatureRecipe recipe;
    private final List<FeatureShard> shards;
    private final ContentIndex index;

    private FeatureCache(Path folder, FeatureRecipe recipe, List<FeatureShard> shards, ContentIndex index) {
        this.folder = folder;
        this.recipe = recipe;
        this.shards = shards;
        this.index = index;
    }

    /** The features of a recipe below a folder that may hold those of many recipes; nothing there yet is fine. */
    public static FeatureCache open(Path root, FeatureRecipe recipe) throws IOException {
        Path folder = folder(root, recipe);
        Files.createDirectories(folder);
        Path note = folder.resolve(RECIPE);
        if (!Files.exists(note)) {
            AtomicFile.writeText(note, recipe.identity());
        }
        List<FeatureShard> shards = FeatureShard.openAll(shardFiles(folder), recipe);
        return new FeatureCache(folder, recipe, shards, ContentIndex.open(folder.resolve(INDEX), shards));
    }

    /** Where the features of a recipe lie. */
    static Path folder(Path root, FeatureRecipe recipe) {
        return root.resolve(recipe.hash());
    }

    /** The complete shards, in order. */
    static List<Path> shardFiles(Path folder) {
        return Stream.iterate(0, number -> number + 1)
                .map(number -> shardFile(folder, number))
                .takeWhile(Files::exists)
                .toList();
    }

    static Path shardFile(Path folder, int number) {
        return folder.resolve(String.format(Locale.ROOT, "shard-%06d.safetensors", number));
    }

    /** What its features are. */
    public FeatureRecipe recipe() {
        return recipe;
    }

    /** The folder of this recipe. */
    public Path folder() {
        return folder;
    }

    /** Images that have features. */
    public long images() {
        return index.images();
    }

    /** Whether an image has features. */
    public boolean contains(ContentKey key) {
        return index.find(key).filter(place -> !place.isRejected()).isPresent();
    }

    /** Why an image has no features, if it was tried. */
    public Optional<Decoded.Rejected> rejection(ContentKey key) {
        return index.find(key)
                .filter(Place::isRejected)
                .map(place -> shards.get(place.shard()).reason(place.rejectedNumber()));
    }

    /** Whether nothing is left to do for an image: it has features, or it cannot be decoded. */
    boolean isSettled(ContentKey key) {
        return index.find(key).isPresent();
    }

    /**
     * The features of some images: [images, views, …] of one tap, in the recipe's storage, in the caller's scope. Takes
     * one copy from the mapped files.
     */
    public Tensor features(String tap, List<ContentKey> keys) throws CacheException {
        FeatureRecipe.TapShape shape = recipe.taps().stream()
                .filter(candidate -> candidate.name().equals(tap))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "the cache has no features of '" + tap + "'; it has " + recipe.tapNames()));
        Tensor batch = TensorBytes.allocate(recipe.storage(), recipe.shape(shape, keys.size()));
        ByteBuffer target = TensorBytes.memory(batch);
        for (ContentKey key : keys) {
            Place place = index.find(key)
                    .filter(found -> !found.isRejected())
                    .orElseThrow(() -> new CacheException(
                            "no features of image " + key.hex() + "; fill the cache with: gramian features"));
            target.put(shards.get(place.shard()).row(tap, place.row()));
        }
        return batch;
    }

    /** Reads every byte and names the shards that are not as they were written. */
    public List<Path> damagedShards() throws IOException {
        List<Path> damaged = new ArrayList<>();
        for (FeatureShard shard : shards) {
            if (!shard.intact()) {
                damaged.add(shard.path());
            }
        }
        return damaged;
    }

    @Override
    public void close() throws IOException {
        for (FeatureShard shard : shards) {
            shard.close();
        }
    }
}
