package io.github.gramian.feature.internal;

import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.io.internal.Sha256;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Where the features of an image are: a hash table in a mapped file, so that fifteen million images cost no heap.
 *
 * <p>The file is made from the shards and can always be made again; its bytes depend only on the shards. An entry has the
 * first 16 bytes of the key (hashes of different images do not agree in 128 bits), the shard, and the row, or for a rejected
 * image −1 − its number. Free entries have shard −1. Collisions go to the next entry. The header names the shards by a hash
 * of their checksums and has a checksum of everything else: an index that is damaged, or of other shards, is built again.
 */
final class ContentIndex {

    private static final long MAGIC = 0x3258444E_494D5247L; // "GRMINDX2" in little-endian bytes
    private static final int SUM = 32;
    private static final int HEADER = 40;
    private static final int ENTRY = 24;
    private static final int LARGEST_CAPACITY = 1 << 26; // its 1.6 GB still fit one mapping

    private final ByteBuffer table;
    private final int capacity;
    private final long images;

    record Place(int shard, int row) {

        /** Whether the image could not be decoded and has no features. */
        boolean isRejected() {
            return row < 0;
        }

        /** The number of the reject in its shard. */
        int rejectedNumber() {
            return -1 - row;
        }
    }

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
        int[] rejected = shards.stream().mapToInt(FeatureShard::rejectedCount).toArray();
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
