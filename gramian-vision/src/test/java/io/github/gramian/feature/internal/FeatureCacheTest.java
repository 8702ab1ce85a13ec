package io.github.gramian.feature.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.image.Crop;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Resize;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.codec.Rejection;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.TensorType;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;

class FeatureCacheTest extends FeatureCacheFixture {

    @Test
    void features_come_back_as_the_backbone_made_them() throws IOException {
        FeatureRecipe recipe = recipe(TensorType.F32);
        assertThat(fill(recipe, FILES).computed()).isEqualTo(12);
        List<Path> wanted = List.of(FILES.get(7), FILES.get(0), FILES.get(7));
        try (FeatureCache cache = FeatureCache.open(root, recipe)) {
            Tensor cached = cache.features("res5b", keys(wanted));
            assertThat(cached.sizes().vec().get()).containsExactly(3, 1, 64, 2, 2);
            assertThat(cache.images()).isEqualTo(12);
            assertThat(cache.damagedShards()).isEmpty();
            assertThat(cached.select(0, 0).equal(cached.select(0, 2))).isTrue();
            assertThat(cached.select(0, 0).equal(cached.select(0, 1))).isFalse();
            assertThatThrownBy(() -> cache.features("res3a", keys(wanted)))
                    .hasMessageContaining("it has [res4b, res5b]");
            assertThatThrownBy(() -> cache.features("res5b", List.of(new ContentKey("0".repeat(64)))))
                    .hasMessageContaining("gramian features");
        }
    }

    @Test
    void half_precision_is_half_as_large_and_nearly_the_same() throws IOException {
        FeatureRecipe full = recipe(TensorType.F32);
        FeatureRecipe half = recipe(TensorType.F16);
        fill(full, FILES);
        fill(half, FILES);
        assertThat(half.bytesPerImage()).isEqualTo(full.bytesPerImage() / 2);
        assertThat(half.hash()).isNotEqualTo(full.hash());
        try (FeatureCache a = FeatureCache.open(root, full);
                FeatureCache b = FeatureCache.open(root, half)) {
            Tensor wide = a.features("res4b", keys(FILES));
            Tensor narrow = b.features("res4b", keys(FILES)).to(wide.scalar_type());
            assertThat(narrow.sub(wide).norm().item_double() / wide.norm().item_double())
                    .isLessThan(1e-3);
        }
    }

    @Test
    void a_second_run_has_nothing_to_do_and_more_images_are_added_to_what_is_there() throws IOException {
        FeatureRecipe recipe = recipe(TensorType.F16);
        fill(recipe, FILES.subList(0, 5));
        FeatureExtraction.Plan again = extraction(recipe).plan(FILES.subList(0, 5));
        assertThat(again.missing()).isEmpty();
        assertThat(again.bytes()).isZero();
        assertThat(fill(recipe, FILES).computed()).isEqualTo(7);
        try (FeatureCache cache = FeatureCache.open(root, recipe)) {
            assertThat(cache.images()).isEqualTo(12);
            assertThat(cache.features("res5b", keys(FILES)).size(0)).isEqualTo(12);
        }
    }

    @Test
    void equal_files_are_computed_once_whatever_they_are_called() throws IOException {
        Path copy = Files.copy(FILES.get(0), root.resolve("copy.png"));
        FeatureRecipe recipe = recipe(TensorType.F16);
        assertThat(fill(recipe, List.of(FILES.get(0), copy)).computed()).isEqualTo(1);
    }

    @Test
    void everything_that_changes_a_feature_changes_the_key() {
        FeatureRecipe one = recipe(TensorType.F16);
        Preprocessing wide = Preprocessing.centre(80, SIZE, Interpolation.BILINEAR, backbone.normalisation());
        List<String> taps = List.of("res4b", "res5b");
        assertThat(Stream.of(
                                one,
                                recipe(TensorType.BF16),
                                FeatureRecipe.of(backbone, List.of("res5b"), centre(), new Seed(0), TensorType.F16),
                                FeatureRecipe.of(backbone, taps, wide, new Seed(0), TensorType.F16),
                                new FeatureRecipe(
                                        "other decoder",
                                        one.preprocessing(),
                                        one.seed(),
                                        one.backbone(),
                                        one.weightsHash(),
                                        one.precision(),
                                        one.taps(),
                                        one.storage()),
                                new FeatureRecipe(
                                        one.decoder(),
                                        one.preprocessing(),
                                        one.seed(),
                                        one.backbone(),
                                        "other weights",
                                        one.precision(),
                                        one.taps(),
                                        one.storage()),
                                new FeatureRecipe(
                                        one.decoder(),
                                        one.preprocessing(),
                                        one.seed(),
                                        one.backbone(),
                                        one.weightsHash(),
                                        Precision.BFLOAT16,
                                        one.taps(),
                                        one.storage()))
                        .map(FeatureRecipe::hash)
                        .distinct())
                .hasSize(7);
        assertThat(FeatureRecipe.of(backbone, taps, centre(), new Seed(5), TensorType.F16)
                        .hash())
                .as("a seed that nothing draws from")
                .isEqualTo(one.hash());
    }

    @Test
    void random_views_depend_only_on_the_content_of_an_image_and_the_seed() throws IOException {
        Preprocessing random = new Preprocessing(
                Preprocessing.Decoding.FULL,
                new Resize.ShortSide(72),
                List.of(new Crop.RandomCrop(3)),
                List.of(),
                Interpolation.BILINEAR,
                backbone.normalisation(),
                SIZE);
        FeatureRecipe recipe = FeatureRecipe.of(backbone, List.of("res5b"), random, new Seed(3), TensorType.F32);
        fill(recipe, FILES);
        try (FeatureCache cache = FeatureCache.open(root, recipe)) {
            Tensor cached = cache.features("res5b", keys(FILES.subList(4, 5)));
            assertThat(cached.size(1)).isEqualTo(3);
            FeatureExtraction alone = extraction(root.resolve("alone"), recipe);
            alone.run(alone.plan(FILES.subList(4, 5)), (done, total) -> {});
            try (FeatureCache other = FeatureCache.open(root.resolve("alone"), recipe)) {
                Tensor same = other.features("res5b", keys(FILES.subList(4, 5)));
                assertThat(same.sub(cached).abs().max().item_double()).isLessThan(1e-4);
            }
        }
    }

    @Test
    void a_rejection_by_the_machine_or_the_limits_is_not_cached() throws IOException {
        FeatureRecipe recipe = recipe(TensorType.F16);
        ImageDecoder narrow = new ImageDecoder(new ImageLimits(1 << 20, 85, 1000, 1 << 20));
        FeatureExtraction strict = new FeatureExtraction(root, recipe, backbone, narrow, LoaderSettings.defaults(4));
        AtomicLong progress = new AtomicLong();
        FeatureExtraction.Summary first = strict.run(strict.plan(FILES), (done, total) -> progress.set(done));
        assertThat(progress).as("rejected images are done, too").hasValue(12);
        assertThat(first.computed()).isEqualTo(6);
        assertThat(first.rejects().keySet()).containsExactlyElementsOf(FILES.subList(6, 12));
        assertThat(reason(first, FILES.get(6))).isEqualTo(Rejection.TOO_MANY_PIXELS);

        FeatureExtraction.Summary second = fill(recipe, FILES);
        assertThat(second.computed()).isEqualTo(6);
        assertThat(second.rejects()).isEmpty();
        assertThat(Stream.of(Rejection.values()).filter(Rejection::isOfContent))
                .containsExactlyInAnyOrder(
                        Rejection.EMPTY,
                        Rejection.UNKNOWN_FORMAT,
                        Rejection.UNSUPPORTED,
                        Rejection.TRUNCATED,
                        Rejection.CORRUPT);
    }

    @Test
    void a_file_that_is_replaced_after_it_was_hashed_gives_no_features_to_the_old_content() throws IOException {
        FeatureRecipe recipe = recipe(TensorType.F16);
        Path file = Files.copy(FILES.get(0), root.resolve("file.png"));
        ContentKey old = ContentKey.ofFile(file);
        FeatureExtraction.Plan plan = extraction(recipe).plan(List.of(file, FILES.get(2)));
        Files.copy(FILES.get(1), file, StandardCopyOption.REPLACE_EXISTING);
        FeatureExtraction.Summary summary = extraction(recipe).run(plan, (done, total) -> {});
        assertThat(summary.computed()).isEqualTo(1);
        assertThat(reason(summary, file).name()).isEqualTo("CHANGED");
        try (FeatureCache cache = FeatureCache.open(root, recipe)) {
            assertThat(cache.contains(old)).isFalse();
        }
        assertThat(fill(recipe, List.of(file)).computed()).isEqualTo(1);
    }

    @Test
    void looking_into_a_cache_that_is_not_there_makes_nothing() throws IOException {
        try (FeatureCache cache = FeatureCache.open(root.resolve("none"), recipe(TensorType.F16))) {
            assertThat(cache.images()).isZero();
        }
        assertThat(root.resolve("none")).doesNotExist();
    }

    @Test
    void only_one_run_fills_a_cache_at_a_time() throws IOException {
        FeatureRecipe recipe = recipe(TensorType.F16);
        FeatureExtraction extraction = extraction(recipe);
        FeatureExtraction.Plan plan = extraction.plan(FILES);
        assertThatThrownBy(() -> extraction.run(plan, (done, total) -> {
                    try {
                        extraction.run(plan, (d, t) -> {});
                    } catch (IOException e) {
                        throw new IllegalStateException(e.getMessage());
                    }
                }))
                .hasMessageContaining("another process is filling");
    }

    @Test
    void a_recipe_of_another_backbone_or_an_unsupported_storage_is_refused() {
        FeatureRecipe one = recipe(TensorType.F16);
        FeatureRecipe other = new FeatureRecipe(
                one.decoder(),
                one.preprocessing(),
                one.seed(),
                "vgg16",
                one.weightsHash(),
                one.precision(),
                one.taps(),
                one.storage());
        assertThatThrownBy(() -> extraction(other)).hasMessageContaining("vgg16");
        assertThatThrownBy(() -> recipe(TensorType.I8)).hasMessageContaining("F32, F16 or BF16");
        assertThatThrownBy(() -> new ContentKey("12")).hasMessageContaining("64");
    }

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
