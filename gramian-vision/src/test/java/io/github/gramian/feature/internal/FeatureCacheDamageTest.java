package io.github.gramian.feature.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.image.codec.Rejection;
import io.github.gramian.tensor.internal.TensorType;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Broken images, runs that were stopped, and files of the cache that were changed, lost or cannot be written. */
class FeatureCacheDamageTest extends FeatureCacheFixture {

    @Test
    void broken_files_are_listed_with_their_reasons_and_not_tried_again() throws IOException {
        Path text = Files.writeString(root.resolve("text.jpg"), "no image at all");
        Path empty = Files.createFile(root.resolve("empty.png"));
        byte[] whole = Files.readAllBytes(FILES.get(1));
        Path truncated = Files.write(root.resolve("cut.png"), Arrays.copyOf(whole, whole.length / 2));
        Path loop = Files.createSymbolicLink(root.resolve("loop.png"), root.resolve("loop.png"));
        List<Path> files = List.of(text, FILES.get(0), empty, truncated, loop, FILES.get(1));
        FeatureRecipe recipe = recipe(TensorType.F16);
        FeatureExtraction.Summary summary = fill(recipe, files);
        assertThat(summary.computed()).isEqualTo(2);
        assertThat(summary.rejects().keySet()).containsExactly(text, empty, truncated, loop);
        assertThat(reason(summary, text)).isEqualTo(Rejection.UNKNOWN_FORMAT);
        assertThat(reason(summary, empty)).isEqualTo(Rejection.EMPTY);
        assertThat(reason(summary, truncated)).isEqualTo(Rejection.TRUNCATED);
        assertThat(reason(summary, loop)).isEqualTo(Rejection.BROKEN_LINK);

        FeatureExtraction.Plan again = extraction(recipe).plan(files);
        assertThat(again.missing()).isEmpty();
        FeatureExtraction.Summary repeated = extraction(recipe).run(again, (done, total) -> {});
        assertThat(repeated.rejects()).isEqualTo(summary.rejects());
    }

    @Test
    void a_run_that_was_stopped_anywhere_writes_the_same_bytes() throws IOException {
        FeatureRecipe recipe = recipe(TensorType.F16);
        FeatureExtraction unbroken = extraction(root.resolve("unbroken"), recipe);
        unbroken.run(unbroken.plan(FILES), (done, total) -> {});
        // SIGKILL leaves a half-written temporary file and no shard.
        FeatureExtraction broken = extraction(root.resolve("broken"), recipe);
        FeatureExtraction.Plan plan = broken.plan(FILES);
        Path folder = root.resolve("broken").resolve(recipe.hash());
        Files.createDirectories(folder);
        Files.write(folder.resolve(".shard-000000.safetensors.0123456789abcdef.0123456789abcdef.tmp"), new byte[1000]);
        assertThatThrownBy(() -> broken.run(plan, (done, total) -> {
                    throw new IllegalStateException("stopped");
                }))
                .hasMessage("stopped");
        broken.run(broken.plan(FILES), (done, total) -> {});
        assertThat(contents(root.resolve("broken"))).isEqualTo(contents(root.resolve("unbroken")));
    }

    @Test
    void damage_is_found_and_shards_of_other_recipes_are_refused() throws IOException {
        FeatureRecipe recipe = recipe(TensorType.F16);
        fill(recipe, FILES.subList(0, 3));
        Path shard = root.resolve(recipe.hash()).resolve("shard-000000.safetensors");
        FeatureRecipe other = recipe(TensorType.BF16);
        Path foreign = root.resolve(other.hash());
        Files.createDirectories(foreign);
        Files.copy(shard, foreign.resolve("shard-000000.safetensors"));
        assertThatThrownBy(() -> FeatureCache.open(root, other)).hasMessageContaining("another recipe");

        flip(shard, Files.size(shard) - 700, 3);
        try (FeatureCache cache = FeatureCache.open(root, recipe)) {
            assertThat(cache.damagedShards()).containsExactly(shard);
            assertThatThrownBy(() -> cache.features("res5b", keys(FILES.subList(1, 2))))
                    .isInstanceOf(CacheException.class)
                    .hasMessageContaining(shard.toString());
        }
    }

    private static void flip(Path file, long at, int bit) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(at);
            int old = bytes.read();
            bytes.seek(at);
            bytes.write(old ^ 1 << bit);
        }
    }

    @Test
    void a_damaged_shard_is_computed_again_wherever_its_bit_flipped() throws IOException {
        FeatureRecipe recipe = recipe(TensorType.F16);
        fill(recipe, FILES.subList(0, 6));
        fill(recipe, FILES);
        Map<String, String> whole = contents(root);
        Path first = root.resolve(recipe.hash()).resolve("shard-000000.safetensors");
        Random random = new Random(3);
        for (int flip = 0; flip < 12; flip++) {
            long end = flip % 2 == 0 ? 700 : Files.size(first);
            flip(first, (long) (random.nextDouble() * end), random.nextInt(8));
            FeatureExtraction.Plan plan = extraction(recipe).plan(FILES);
            assertThat(plan.damaged()).containsExactly(first);
            assertThat(plan.missing()).isEqualTo(FILES.subList(0, 6));
            extraction(recipe).run(plan, (done, total) -> {});
            assertThat(contents(root)).isEqualTo(whole);
        }
    }

    @Test
    void a_damaged_index_never_leads_to_another_image() throws IOException {
        FeatureRecipe recipe = recipe(TensorType.F16);
        fill(recipe, FILES);
        Path index = root.resolve(recipe.hash()).resolve("index.bin");
        byte[] original = Files.readAllBytes(index);
        Random random = new Random(4);
        for (int flip = 0; flip < 100; flip++) {
            flip(index, random.nextInt(original.length), random.nextInt(8));
            try (FeatureCache cache = FeatureCache.open(root, recipe)) {
                assertThat(Files.readAllBytes(index)).isEqualTo(original);
                assertThat(keys(FILES)).allMatch(cache::contains);
            }
        }
    }

    @Test
    void a_cache_that_cannot_be_written_is_read_and_what_is_missing_is_named() throws IOException {
        FeatureRecipe recipe = recipe(TensorType.F16);
        fill(recipe, FILES.subList(0, 5));
        Path folder = root.resolve(recipe.hash());
        // Directories under these names, since permissions do not stop the root user.
        for (String name : List.of("index.bin", "lock")) {
            Files.deleteIfExists(folder.resolve(name));
            Files.createDirectories(folder.resolve(name).resolve("in the way"));
        }
        try (FeatureCache cache = FeatureCache.open(root, recipe)) {
            assertThat(cache.features("res5b", keys(FILES.subList(0, 5))).size(0))
                    .isEqualTo(5);
        }
        assertThat(fill(recipe, FILES.subList(0, 5)).computed()).isZero();
        assertThatThrownBy(() -> fill(recipe, FILES))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("7 images are missing")
                .hasMessageContaining("choose a directory");
    }

    @Test
    void a_lost_or_mismatched_index_is_made_again() throws IOException {
        FeatureRecipe recipe = recipe(TensorType.F16);
        fill(recipe, FILES);
        Path index = root.resolve(recipe.hash()).resolve("index.bin");
        byte[] original = Files.readAllBytes(index);
        for (byte[] replaced :
                List.of(new byte[0], new byte[100], "nonsense".repeat(50).getBytes(StandardCharsets.UTF_8))) {
            Files.write(index, replaced);
            try (FeatureCache cache = FeatureCache.open(root, recipe)) {
                assertThat(cache.contains(keys(FILES).get(11))).isTrue();
                assertThat(Files.readAllBytes(index)).isEqualTo(original);
            }
        }
    }
}
