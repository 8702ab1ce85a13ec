package io.github.gramian.feature.internal;

import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.Rejection;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bytedeco.pytorch.Tensor;

/**
 * A shard while it is being filled: the features of the images so far, in memory, and the images that were rejected.
 * {@link #write} writes it atomically, with a checksum over everything in it.
 *
 * <p>The file is a safetensors file: {@code features.TAP} [images, views, …] in the recipe's storage, {@code images} and
 * {@code rejected} [count, 32] with content keys; the metadata has the recipe, the reasons of the rejects and the checksum.
 */
final class ShardContent implements AutoCloseable {

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
                                : "the backbone's features of " + tap.name() + " are NaN or infinite; its weights are"
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
