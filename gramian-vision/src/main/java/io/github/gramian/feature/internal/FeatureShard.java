package io.github.gramian.feature.internal;

import io.github.gramian.image.codec.Decoded;
import io.github.gramian.tensor.internal.TensorType;
import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * A complete shard, mapped into memory: reading takes no heap, and several processes share the pages. Opening reads only the
 * header. {@link #isIntact} reads everything, and callers must check it before they use any content of the shard.
 */
final class FeatureShard implements AutoCloseable {

    private final Path path;
    private final SafetensorsFile file;
    private final Map<String, MappedByteBuffer> features = new HashMap<>();
    private final Map<String, Long> rowBytes = new HashMap<>();
    private final MappedByteBuffer images;
    private final MappedByteBuffer rejected;
    private volatile boolean intact;

    private FeatureShard(Path path, SafetensorsFile file, FeatureRecipe recipe) throws IOException {
        this.path = path;
        this.file = file;
        if (!recipe.identity().equals(file.metadata().get(ShardContent.RECIPE))) {
            throw refusal("belongs to another recipe; move it away");
        }
        this.images = keys(ShardContent.IMAGES);
        this.rejected = keys(ShardContent.REJECTED);
        for (FeatureRecipe.TapShape tap : recipe.taps()) {
            String name = ShardContent.FEATURES + tap.name();
            TensorEntry entry = file.entry(name);
            long[] expected = recipe.shape(tap, imageCount());
            if (entry.type() != recipe.storage() || !Arrays.equals(entry.dimensions(), expected)) {
                throw refusal("has features of another shape; delete it and fill the cache again");
            }
            features.put(tap.name(), file.map(name));
            rowBytes.put(tap.name(), recipe.storage().bytesOf(recipe.shape(tap, 1)));
        }
    }

    /** Damage comes first: a flipped bit may look like anything. */
    private CacheException refusal(String why) throws IOException {
        file.requireIntact();
        return new CacheException(path + " " + why);
    }

    /** @throws SafetensorsException if its header is damaged */
    static FeatureShard open(Path path, FeatureRecipe recipe) throws IOException {
        SafetensorsFile file = SafetensorsFile.open(path);
        try {
            return new FeatureShard(path, file, recipe);
        } catch (IOException | RuntimeException failure) {
            file.close();
            throw failure;
        }
    }

    private MappedByteBuffer keys(String name) throws IOException {
        TensorEntry entry = file.entry(name);
        long[] shape = entry.dimensions();
        if (entry.type() != TensorType.U8 || shape.length != 2 || shape[1] != ContentKey.BYTES) {
            throw refusal("has no proper list of " + name + "; delete it and fill the cache again");
        }
        return file.map(name);
    }

    int imageCount() {
        return images.capacity() / ContentKey.BYTES;
    }

    int rejectedCount() {
        return rejected.capacity() / ContentKey.BYTES;
    }

    ContentKey image(int row) {
        return key(images, row);
    }

    ContentKey rejectedImage(int i) {
        return key(rejected, i);
    }

    private static ContentKey key(ByteBuffer keys, int row) {
        byte[] bytes = new byte[ContentKey.BYTES];
        keys.get(row * ContentKey.BYTES, bytes);
        return ContentKey.of(bytes);
    }

    Decoded.Rejected reason(int i) throws CacheException {
        String[] lines = file.metadata().getOrDefault(ShardContent.REASONS, "").split("\n", -1);
        return ShardContent.reason(i < lines.length ? lines[i] : "")
                .orElseThrow(() -> new CacheException(path + " does not state why image "
                        + rejectedImage(i).hex() + " has no features; delete it and fill the cache again"));
    }

    /** The bytes of one image's features, ready to be copied. */
    ByteBuffer row(String tap, int row) {
        MappedByteBuffer all = features.get(tap);
        Long length = rowBytes.get(tap);
        if (all == null || length == null) {
            throw new IllegalArgumentException(
                    "the cache has no features of '" + tap + "'; it has " + features.keySet());
        }
        return all.slice(Math.toIntExact(row * length), Math.toIntExact(length));
    }

    /** Whether the file matches its checksum; reads it once. */
    boolean isIntact() throws IOException {
        if (!intact) {
            intact = file.isIntact();
        }
        return intact;
    }

    String seal() {
        return file.seal();
    }

    Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
