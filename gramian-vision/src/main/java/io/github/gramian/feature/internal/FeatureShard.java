package io.github.gramian.feature.internal;

import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.Rejection;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bytedeco.pytorch.Tensor;

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

    /**
     * A shard while it is being filled: the features of the images so far, in memory, and the images that were rejected.
     * {@link #write} writes it atomically, with a checksum over everything in it.
     *
     * <p>The file is a safetensors file: {@code features.TAP} [images, views, …] in the recipe's storage, {@code images} and
     * {@code rejected} [count, 32] with content keys; the metadata has the recipe, the reasons of the rejects and the checksum.
     */
    static final class ShardContent implements AutoCloseable {

        static final String FEATURES = "features.";
        static final String IMAGES = "images";
        static final String REJECTED = "rejected";
        static final String RECIPE = "recipe";
        static final String REASONS = "reasons";

        private final FeatureRecipe recipe;
        private final Map<String, Tensor> features = new LinkedHashMap<>();
        private final List<ContentKey> images = new ArrayList<>();
        private final List<ContentKey> rejected = new ArrayList<>();
        private final List<String> reasons = new ArrayList<>();

        ShardContent(FeatureRecipe recipe, int capacity) {
            this.recipe = recipe;
            try (Scope scope = Scope.open()) {
                for (FeatureRecipe.TapShape tap : recipe.taps()) {
                    Tensor buffer = TensorBytes.allocate(recipe.storage(), recipe.shape(tap, capacity));
                    features.put(tap.name(), Scope.own(buffer));
                }
            }
        }

        /** Appends some images; the tensors are [keys·views, …], by tap. */
        void add(List<ContentKey> keys, Map<String, Tensor> batch) throws CacheException {
            for (FeatureRecipe.TapShape tap : recipe.taps()) {
                Tensor all = features.get(tap.name());
                Tensor more = batch.get(tap.name());
                if (all == null || more == null) {
                    throw new IllegalStateException("no features of " + tap.name());
                }
                Tensor rows = all.narrow(0, images.size(), keys.size());
                rows.copy_(more.reshape(recipe.shape(tap, keys.size())));
                if (!rows.isfinite().all().item_bool()) {
                    throw new CacheException(
                            more.isfinite().all().item_bool()
                                    ? "features of " + tap.name() + " do not fit into " + recipe.storage()
                                            + "; store them as BF16 or F32"
                                    : "the backbone's features of " + tap.name()
                                            + " are NaN or infinite; its weights are"
                                            + " damaged, or it needs a higher precision or another normalisation");
                }
            }
            images.addAll(keys);
        }

        /** Records an image that cannot be decoded, so that it is not tried again. */
        void reject(ContentKey key, Decoded.Rejected why) {
            rejected.add(key);
            reasons.add(why.reason() + " " + why.detail().replace('\n', ' '));
        }

        /** The reason as it is stored, a name and a detail; empty for a string that is not a reason. */
        static Optional<Decoded.Rejected> reason(String stored) {
            return Arrays.stream(Rejection.values())
                    .filter(known -> stored.startsWith(known + " "))
                    .findFirst()
                    .map(known -> new Decoded.Rejected(
                            known, stored.substring(known.name().length() + 1)));
        }

        boolean isEmpty() {
            return images.isEmpty() && rejected.isEmpty();
        }

        void write(Path file) throws IOException {
            try (Scope scope = Scope.open()) {
                Map<String, Tensor> tensors = new TreeMap<>();
                features.forEach((tap, rows) -> tensors.put(FEATURES + tap, rows.narrow(0, 0, images.size())));
                tensors.put(IMAGES, keys(images));
                tensors.put(REJECTED, keys(rejected));
                Map<String, String> metadata = new TreeMap<>();
                metadata.put(RECIPE, recipe.identity());
                metadata.put(REASONS, String.join("\n", reasons));
                SafetensorsWriter.writeSealed(file, tensors, metadata);
            }
        }

        private static Tensor keys(List<ContentKey> keys) throws IOException {
            ByteBuffer bytes = ByteBuffer.allocate(keys.size() * ContentKey.BYTES);
            keys.forEach(key -> bytes.put(key.bytes()));
            return TensorBytes.read(
                    Channels.newChannel(new ByteArrayInputStream(bytes.array())),
                    TensorType.U8,
                    keys.size(),
                    ContentKey.BYTES);
        }

        @Override
        public void close() {
            features.values().forEach(Scope::disown);
        }
    }
}
