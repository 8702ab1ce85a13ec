package io.github.gramian.feature.internal;

import io.github.gramian.fuzz.FuzzTarget;
import io.github.gramian.fuzz.Scratch;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.TensorType;
import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFuzz;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** The feature cache: shards, and the index that is made of them. Checksums are put right, as a forger would. */
public final class CacheFuzz {

    private static final FeatureRecipe RECIPE = new FeatureRecipe(
            "decoder",
            Preprocessing.centre(72, 64, Interpolation.BILINEAR, Normalisation.TORCHVISION),
            new Seed(0),
            "backbone",
            "weights",
            Precision.FLOAT,
            List.of(new FeatureRecipe.TapShape("tap", List.of(2L))),
            TensorType.F32);

    private static final int SUM = 32;
    private static final int HEADER = 40;

    private final Scratch shards = new Scratch();
    private final Scratch caches = new Scratch();
    private final Supplier<byte[]> genuine = memoised(this::index);

    private CacheFuzz() {}

    public static List<FuzzTarget> targets() {
        CacheFuzz here = new CacheFuzz();
        List<Class<? extends Exception>> refusals = List.of(SafetensorsException.class, CacheException.class);
        return List.of(
                new FuzzTarget("cache-shard", () -> List.of(shard("EMPTY nothing")), here::readShard, refusals),
                new FuzzTarget("cache-index", () -> List.of(here.index()), here::readIndex, refusals));
    }

    /** Two images and a reject; their keys are zeros. */
    static byte[] shard(String reasons) {
        return SafetensorsFuzz.file(
                "{'__metadata__':{'crc32c':'00000000','reasons':'" + reasons + "','recipe':'"
                        + RECIPE.identity().replace("\"", "\\\"").replace("\n", "\\n")
                        + "'},'features.tap':{'dtype':'F32','shape':[2,1,2],'data_offsets':[0,16]},"
                        + "'images':{'dtype':'U8','shape':[2,32],'data_offsets':[16,80]},"
                        + "'rejected':{'dtype':'U8','shape':[1,32],'data_offsets':[80,112]}}",
                112);
    }

    private void readShard(byte[] bytes) throws IOException {
        Path file = shards.file("shard-000000.safetensors", SafetensorsFuzz.sealed(bytes));
        try (FeatureShard shard = FeatureShard.open(file, RECIPE)) {
            if (shard.isIntact()) {
                for (int row = 0; row < Math.min(shard.imageCount(), 8); row++) {
                    shard.image(row);
                    shard.row("tap", row).get(0);
                }
                for (int i = 0; i < Math.min(shard.rejectedCount(), 8); i++) {
                    shard.rejectedImage(i);
                    shard.reason(i);
                }
            }
        }
    }

    /** The index that is made of the one shard. */
    private byte[] index() {
        try {
            Path folder = Files.createDirectories(FeatureCache.folder(caches.folder(), RECIPE));
            Files.write(FeatureCache.shardFile(folder, 0), shard("EMPTY nothing"));
            Files.deleteIfExists(folder.resolve("index.bin"));
            FeatureCache.open(caches.folder(), RECIPE).close();
            return Files.readAllBytes(folder.resolve("index.bin"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void readIndex(byte[] bytes) throws IOException {
        ByteBuffer forged = ByteBuffer.wrap(bytes.clone()).order(ByteOrder.LITTLE_ENDIAN);
        byte[] valid = genuine.get(); // made at the first call, with the shard next to it
        if (bytes.length >= HEADER) {
            forged.put(0, valid, 0, 8).put(24, valid, 24, 8);
            Checksum sum = new Checksum();
            sum.write(forged.slice(0, SUM));
            sum.write(forged.slice(HEADER, bytes.length - HEADER));
            forged.putLong(SUM, sum.value());
        }
        Path file = FeatureCache.folder(caches.folder(), RECIPE).resolve("index.bin");
        Files.write(file, forged.array());
        try (FeatureCache cache = FeatureCache.open(caches.folder(), RECIPE)) {
            ContentKey zeros = ContentKey.of(new byte[ContentKey.BYTES]);
            cache.contains(zeros);
            cache.shardOf(zeros);
            cache.rejection(zeros);
            if (cache.contains(zeros)) {
                cache.fingerprint(List.of(zeros));
            }
        }
        if (!Arrays.equals(Files.readAllBytes(file), forged.array())) {
            throw new CacheException("the index was rebuilt");
        }
    }

    private static <T> Supplier<T> memoised(Supplier<T> maker) {
        AtomicReference<T> made = new AtomicReference<>();
        return () -> made.updateAndGet(before -> before == null ? maker.get() : before);
    }
}
