package io.github.gramian.feature.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.engine.internal.ImageTensors;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.Rejection;
import io.github.gramian.image.internal.ImageLoader;
import io.github.gramian.image.internal.ImageLoader.ImageBatch;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;

/**
 * Fills a {@link FeatureCache}: plans which images are missing, then computes them shard by shard. A shard appears complete
 * or not at all. If a run is stopped, the next one continues after the last complete shard and writes the same bytes as an
 * uninterrupted run. A shard that was damaged counts as missing and is computed again.
 */
public final class FeatureExtraction {

    /** A description of the features of the folder, for people. */
    private static final String NOTE = "recipe.txt";

    private final Path root;
    private final FeatureRecipe recipe;
    private final Backbone backbone;
    private final ImageDecoder decoder;
    private final LoaderSettings settings;

    /** For one recipe and its backbone; the settings do not change the features. */
    public FeatureExtraction(
            Path root, FeatureRecipe recipe, Backbone backbone, ImageDecoder decoder, LoaderSettings settings) {
        if (!recipe.backbone().equals(backbone.name()) || !recipe.weightsHash().equals(backbone.weightsHash())) {
            throw new IllegalArgumentException(
                    "the recipe is for " + recipe.backbone() + " with other weights than " + backbone.name() + " has");
        }
        this.root = root;
        this.recipe = recipe;
        this.backbone = backbone;
        this.decoder = decoder;
        this.settings = settings;
    }

    /** Called after each batch with the number of missing images that are done, with features or with a reason. */
    @FunctionalInterface
    public interface Progress {
        void done(long images, long total);
    }

    /**
     * What is to be done.
     *
     * @param files the requested images
     * @param keys their contents; empty for a file that cannot be read
     * @param missing one file for each content that the cache does not know, in the order asked for
     * @param missingKeys their keys
     * @param unreadable files that cannot be read, and why
     * @param damaged shards whose bytes are not as they were written; what they knew of these files is missing
     * @param bytes that the missing features will take on disk
     */
    public record Plan(
            List<Path> files,
            List<Optional<ContentKey>> keys,
            List<Path> missing,
            List<ContentKey> missingKeys,
            Map<Path, Decoded.Rejected> unreadable,
            List<Path> damaged,
            long bytes) {}

    /**
     * What was done.
     *
     * @param computed images that got features now
     * @param rejects files without features, and why, in the order asked for
     */
    public record Summary(long computed, Map<Path, Decoded.Rejected> rejects) {}

    /** Reads all files once, to know their contents, and compares with the cache, whose features it reads once, too. */
    public Plan plan(List<Path> files) throws IOException {
        List<Optional<ContentKey>> keys =
                files.parallelStream().map(FeatureExtraction::key).toList();
        Map<Path, Decoded.Rejected> unreadable = new LinkedHashMap<>();
        List<Path> missing = new ArrayList<>();
        Set<ContentKey> missingKeys = new LinkedHashSet<>();
        List<Path> damaged;
        try (FeatureCache cache = FeatureCache.open(root, recipe)) {
            damaged =
                    cache.damagedShards(keys.stream().flatMap(Optional::stream).toList());
            for (int i = 0; i < files.size(); i++) {
                Path file = files.get(i);
                Optional<ContentKey> key = keys.get(i);
                if (key.isEmpty()) {
                    unreadable.put(file, whyUnreadable(file));
                } else if (cache.shardOf(key.get())
                                .filter(shard -> !damaged.contains(shard))
                                .isEmpty()
                        && missingKeys.add(key.get())) {
                    missing.add(file);
                }
            }
        }
        return new Plan(
                List.copyOf(files),
                keys,
                missing,
                List.copyOf(missingKeys),
                unreadable,
                damaged,
                missing.size() * recipe.bytesPerImage());
    }

    private static Optional<ContentKey> key(Path file) {
        // Opening a pipe would wait for its other end for ever.
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(ContentKey.ofFile(file));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private Decoded.Rejected whyUnreadable(Path file) {
        return decoder.decode(file) instanceof Decoded.Rejected rejected
                ? rejected
                : new Decoded.Rejected(Rejection.UNREADABLE, "it changed while it was read");
    }

    /** Computes what is missing. Only one process fills a cache at a time; any number may read a full one. */
    public Summary run(Plan plan, Progress progress) throws IOException {
        if (plan.missing().isEmpty()) {
            return new Summary(0, rejects(plan, Map.of()));
        }
        Path folder = FeatureCache.folder(root, recipe);
        try (CacheLock lock = startFilling(folder, plan)) {
            int perShard = recipe.imagesPerShard();
            long computed = 0;
            Map<ContentKey, Decoded.Rejected> passing = new HashMap<>();
            for (int start = 0; start < plan.missing().size(); start += perShard) {
                int end = Math.min(plan.missing().size(), start + perShard);
                computed += computeShard(plan, start, end, freeShard(folder), passing, progress);
            }
            return new Summary(computed, rejects(plan, passing));
        }
    }

    /**
     * Takes what is missing from a cache of the same images that has these taps and others, instead of computing it: its
     * recipe may differ in taps only. Images that it does not have remain missing.
     */
    public void copy(Plan plan, FeatureCache richer) throws IOException {
        List<ContentKey> there =
                plan.missingKeys().stream().filter(richer::contains).toList();
        if (there.isEmpty()) {
            return;
        }
        Path folder = FeatureCache.folder(root, recipe);
        try (CacheLock lock = startFilling(folder, plan)) {
            int perShard = recipe.imagesPerShard();
            for (int start = 0; start < there.size(); start += perShard) {
                List<ContentKey> keys = there.subList(start, Math.min(there.size(), start + perShard));
                try (Scope scope = Scope.open();
                        FeatureShard.ShardContent shard = new FeatureShard.ShardContent(recipe, keys.size())) {
                    Map<String, Tensor> features = new LinkedHashMap<>();
                    for (String tap : recipe.tapNames()) {
                        features.put(tap, richer.features(tap, keys));
                    }
                    shard.add(keys, features);
                    shard.write(freeShard(folder));
                }
            }
        }
    }

    /** Takes the lock and prepares the folder: a note for people, and no damaged shards. */
    private CacheLock startFilling(Path folder, Plan plan) throws IOException {
        CacheLock lock = CacheLock.take(folder, plan.missing().size());
        try {
            AtomicFile.writeText(folder.resolve(NOTE), recipe.identity());
            removeDamaged(plan.damaged());
            return lock;
        } catch (IOException | RuntimeException failure) {
            lock.close();
            throw failure;
        }
    }

    /** The first number that is free: after all shards, or in the place of one that was damaged. */
    private static Path freeShard(Path folder) {
        return Stream.iterate(0, number -> number + 1)
                .map(number -> FeatureCache.shardFile(folder, number))
                .filter(file -> !Files.exists(file))
                .findFirst()
                .orElseThrow();
    }

    /** Looks again, since another process may have repaired what the plan found. */
    private void removeDamaged(List<Path> shards) throws IOException {
        for (Path shard : shards) {
            boolean intact;
            try (FeatureShard again = FeatureShard.open(shard, recipe)) {
                intact = again.isIntact();
            } catch (SafetensorsException | NoSuchFileException e) {
                intact = false;
            }
            if (!intact) {
                Files.deleteIfExists(shard);
            }
        }
    }

    /**
     * Computes the missing images from one to before another, and writes them as one shard.
     *
     * @param passing gets the rejects whose reason is the state of the machine: the next run tries them again
     * @return images that have features now
     */
    private int computeShard(
            Plan plan, int start, int end, Path target, Map<ContentKey, Decoded.Rejected> passing, Progress progress)
            throws IOException {
        List<Path> files = plan.missing().subList(start, end);
        List<ContentKey> keys = plan.missingKeys().subList(start, end);
        // The files were read for their keys before: features must come from the same bytes.
        ImageSource source =
                ImageSource.ofFiles(files, keys.stream().map(ContentKey::hex).toList(), decoder);
        int[] order = IntStream.range(0, files.size()).toArray();
        int computed = 0;
        int done = 0;
        try (FeatureShard.ShardContent shard = new FeatureShard.ShardContent(recipe, files.size());
                ImageLoader loader = new ImageLoader(
                        source, order, List.of(recipe.preprocessing()), settings, index -> seed(keys.get(index)));
                NoGradGuard noGradients = new NoGradGuard()) {
            while (loader.hasNext()) {
                try (Scope scope = Scope.open()) {
                    ImageBatch batch = loader.next();
                    for (ImageBatch.Reject reject : batch.rejects()) {
                        ContentKey key = keys.get(reject.index());
                        if (reject.why().reason().isOfContent()) {
                            shard.reject(key, reject.why());
                        } else {
                            passing.put(key, reject.why());
                        }
                    }
                    if (!batch.indices().isEmpty()) {
                        Map<String, Tensor> features =
                                backbone.features(ImageTensors.of(batch.pixels()), recipe.tapNames());
                        shard.add(batch.indices().stream().map(keys::get).toList(), features);
                    }
                    computed += batch.indices().size();
                    done += batch.indices().size() + batch.rejects().size();
                    progress.done(start + done, plan.missing().size());
                }
            }
            if (!shard.isEmpty()) {
                shard.write(target);
            }
        }
        return computed;
    }

    private Seed seed(ContentKey key) {
        return recipe.seed().child(key.hex());
    }

    private Map<Path, Decoded.Rejected> rejects(Plan plan, Map<ContentKey, Decoded.Rejected> passing)
            throws IOException {
        Map<Path, Decoded.Rejected> rejects = new LinkedHashMap<>();
        try (FeatureCache cache = FeatureCache.open(root, recipe)) {
            for (int i = 0; i < plan.files().size(); i++) {
                Path file = plan.files().get(i);
                Optional<ContentKey> key = plan.keys().get(i);
                Optional<Decoded.Rejected> stored = key.isEmpty() ? Optional.empty() : cache.rejection(key.get());
                stored.or(() -> key.map(passing::get))
                        .or(() -> Optional.ofNullable(plan.unreadable().get(file)))
                        .ifPresent(why -> rejects.put(file, why));
            }
        }
        return rejects;
    }

    /** The right to fill the folder of a recipe, which one run has at a time; any number of processes may read meanwhile. */
    private static final class CacheLock implements AutoCloseable {

        private final FileChannel channel;
        private final FileLock lock;

        private CacheLock(FileChannel channel, FileLock lock) {
            this.channel = channel;
            this.lock = lock;
        }

        /**
         * Makes the folder if need be, and takes the lock.
         *
         * @param missing images that wait for their features, for the message if the folder cannot be written
         * @throws CacheException if another run has it
         */
        static CacheLock take(Path folder, int missing) throws IOException {
            FileChannel channel = open(folder, missing);
            try {
                FileLock lock = channel.tryLock();
                if (lock != null) {
                    return new CacheLock(channel, lock);
                }
            } catch (OverlappingFileLockException e) {
                // falls through to the same advice
            } catch (IOException | RuntimeException failure) {
                channel.close();
                throw failure;
            }
            channel.close();
            throw new CacheException("another process is filling " + folder + "; wait for it or stop it");
        }

        private static FileChannel open(Path folder, int missing) throws IOException {
            try {
                AtomicFile.makeFolder(folder);
                return FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            } catch (FileSystemException e) {
                throw new CacheException(
                        "the features of " + missing + " images are missing and cannot be stored in " + folder
                                + (e.getReason() == null ? "" : " (" + e.getReason() + ")")
                                + "; choose a directory for features that may be written",
                        e);
            }
        }

        @Override
        public void close() throws IOException {
            try {
                lock.release();
            } finally {
                channel.close();
            }
        }
    }
}
