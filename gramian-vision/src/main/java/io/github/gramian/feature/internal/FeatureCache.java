package io.github.gramian.feature.internal;

import io.github.gramian.image.codec.Decoded;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
import java.util.stream.Collectors;
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

    /** Where an image is. */
    private record Place(int shard, int row) {

        /** Whether the image could not be decoded and has no features. */
        boolean isRejected() {
            return row < 0;
        }

        /** The number of the reject in its shard. */
        int rejectedNumber() {
            return -1 - row;
        }
    }

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

    /**
     * Where the features of an image are: a hash table in a mapped file, so that fifteen million images cost no heap.
     *
     * <p>The file is made from the shards and can always be made again; its bytes depend only on the shards. An entry has the
     * first 16 bytes of the key (hashes of different images do not agree in 128 bits), the shard, and the row, or for a rejected
     * image −1 − its number. Free entries have shard −1. Collisions go to the next entry. The header names the shards by a hash
     * of their checksums and has a checksum of everything else: an index that is damaged, or of other shards, is built again.
     */
    private static final class ContentIndex {

        private static final long MAGIC = 0x3158444E_494D5247L; // "GRMINDX1" in little-endian bytes
        private static final int SUM = 32;
        private static final int HEADER = 40;
        private static final int ENTRY = 24;
        private static final int LARGEST_CAPACITY = 1 << 26; // its 1.6 GB still fit one mapping

        private final ByteBuffer table;
        private final int capacity;
        private final long images;

        private ContentIndex(ByteBuffer table, int capacity, long images) {
            this.table = table;
            this.capacity = capacity;
            this.images = images;
        }

        /**
         * The index in this file if it is one of these shards; otherwise it is built again. Where it cannot be written, as in a
         * folder that may only be read, it is held in memory.
         */
        static ContentIndex open(Path file, List<FeatureShard> shards) throws IOException {
            Optional<ContentIndex> existing = read(file, shards);
            if (existing.isPresent()) {
                return existing.get();
            }
            ByteBuffer table = table(shards);
            if (!shards.isEmpty()) {
                try {
                    AtomicFile.writeBytes(file, table);
                } catch (IOException e) {
                    // It only saves the next reader the work.
                }
            }
            return of(table);
        }

        private static ContentIndex of(ByteBuffer table) {
            return new ContentIndex(table, (int) table.getLong(8), table.getLong(16));
        }

        private static Optional<ContentIndex> read(Path file, List<FeatureShard> shards) throws IOException {
            if (!Files.isRegularFile(file)) {
                return Optional.empty();
            }
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                if (channel.size() < HEADER || channel.size() > Integer.MAX_VALUE) {
                    return Optional.empty();
                }
                MappedByteBuffer all = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
                all.order(ByteOrder.LITTLE_ENDIAN);
                long capacity = all.getLong(8);
                boolean ours = all.getLong(0) == MAGIC
                        && all.getLong(24) == fingerprint(shards)
                        && capacity > 0
                        && capacity <= LARGEST_CAPACITY
                        && channel.size() == HEADER + capacity * ENTRY
                        && all.getLong(SUM) == sum(all)
                        && namesRows(all, (int) capacity, shards);
                return ours ? Optional.of(of(all)) : Optional.empty();
            }
        }

        /** Whether every entry is free or names a row, or a reject, that its shard has. */
        private static boolean namesRows(ByteBuffer table, int capacity, List<FeatureShard> shards) {
            int[] images = shards.stream().mapToInt(FeatureShard::imageCount).toArray();
            int[] rejected =
                    shards.stream().mapToInt(FeatureShard::rejectedCount).toArray();
            for (int at = HEADER; at < HEADER + capacity * ENTRY; at += ENTRY) {
                int shard = table.getInt(at + 16);
                int row = table.getInt(at + 20);
                boolean there = shard >= 0 && shard < images.length && row < images[shard] && row >= -rejected[shard];
                if (shard != -1 && !there) {
                    return false;
                }
            }
            return true;
        }

        private static long fingerprint(List<FeatureShard> shards) {
            String names = shards.stream()
                    .map(shard -> shard.path().getFileName() + " " + shard.seal())
                    .collect(Collectors.joining("\n"));
            return Long.parseUnsignedLong(Sha256.of(names).substring(0, 16), 16);
        }

        /** Over everything but itself. */
        private static long sum(ByteBuffer table) {
            Checksum sum = new Checksum();
            sum.write(table.slice(0, SUM));
            sum.write(table.slice(HEADER, table.capacity() - HEADER));
            return sum.value();
        }

        private static ByteBuffer table(List<FeatureShard> shards) throws CacheException {
            long count = shards.stream()
                    .mapToLong(shard -> (long) shard.imageCount() + shard.rejectedCount())
                    .sum();
            if (2 * count > LARGEST_CAPACITY) {
                throw new CacheException("a cache holds at most " + LARGEST_CAPACITY / 2
                        + " images; start another one, for example a directory for each part of the data");
            }
            int capacity = Math.max(16, Integer.highestOneBit((int) Math.max(1, 2 * count - 1)) * 2);
            ByteBuffer table = ByteBuffer.allocateDirect(Math.toIntExact(HEADER + (long) capacity * ENTRY))
                    .order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < capacity; i++) {
                table.putInt(HEADER + i * ENTRY + 16, -1);
            }
            long images = 0;
            for (int s = 0; s < shards.size(); s++) {
                FeatureShard shard = shards.get(s);
                for (int row = 0; row < shard.imageCount(); row++) {
                    insert(table, capacity, shard.image(row), s, row);
                }
                for (int i = 0; i < shard.rejectedCount(); i++) {
                    insert(table, capacity, shard.rejectedImage(i), s, -1 - i);
                }
                images += shard.imageCount();
            }
            table.putLong(0, MAGIC).putLong(8, capacity).putLong(16, images).putLong(24, fingerprint(shards));
            return table.putLong(SUM, sum(table));
        }

        private static void insert(ByteBuffer table, int capacity, ContentKey key, int shard, int row) {
            ByteBuffer bytes = ByteBuffer.wrap(key.bytes()).order(ByteOrder.LITTLE_ENDIAN);
            int slot = slot(bytes.getLong(0), capacity);
            while (table.getInt(HEADER + slot * ENTRY + 16) != -1) {
                slot = (slot + 1) & (capacity - 1);
            }
            int at = HEADER + slot * ENTRY;
            table.putLong(at, bytes.getLong(0))
                    .putLong(at + 8, bytes.getLong(8))
                    .putInt(at + 16, shard)
                    .putInt(at + 20, row);
        }

        private static int slot(long head, int capacity) {
            return (int) (head & (capacity - 1));
        }

        /** Where an image is, if it is known. */
        Optional<Place> find(ContentKey key) {
            ByteBuffer bytes = ByteBuffer.wrap(key.bytes()).order(ByteOrder.LITTLE_ENDIAN);
            long head = bytes.getLong(0);
            long tail = bytes.getLong(8);
            int slot = slot(head, capacity);
            for (int tried = 0; tried < capacity; tried++) {
                int at = HEADER + slot * ENTRY;
                int shard = table.getInt(at + 16);
                if (shard == -1) {
                    return Optional.empty();
                }
                if (table.getLong(at) == head && table.getLong(at + 8) == tail) {
                    return Optional.of(new Place(shard, table.getInt(at + 20)));
                }
                slot = (slot + 1) & (capacity - 1);
            }
            return Optional.empty();
        }

        long images() {
            return images;
        }
    }
}
