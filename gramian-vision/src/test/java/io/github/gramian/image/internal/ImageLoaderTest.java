package io.github.gramian.image.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.image.Augmentation;
import io.github.gramian.image.Crop;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.Resize;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.Fixtures;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.ImageFormat;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.codec.Rejection;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.ImageLoader.ImageBatch;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ImageLoaderTest {

    private static final Preprocessing RANDOM = new Preprocessing(
            Preprocessing.Decoding.FULL,
            new Resize.ShortSide(18),
            List.of(new Crop.RandomCrop(2), new Crop.Centre()),
            List.of(new Augmentation.Mirror(0.5)),
            Interpolation.BILINEAR,
            Normalisation.CAFFE,
            16);

    private final ImageDecoder decoder = new ImageDecoder(ImageLimits.DEFAULT);

    @TempDir
    Path folder;

    @Test
    void batches_do_not_depend_on_the_number_of_threads() throws IOException {
        ImageSource source = files(23);
        int[] order = IntStream.range(0, 23).map(i -> (i * 7) % 23).toArray();
        List<List<Integer>> indices = new ArrayList<>();
        List<InputPixels> one = all(source, order, new LoaderSettings(5, 1, 1, ChannelOrder.LAST), indices);
        List<InputPixels> many = all(source, order, new LoaderSettings(5, 4, 3, ChannelOrder.LAST), indices);
        assertThat(one).hasSize(5);
        assertThat(indices.subList(0, 5)).isEqualTo(indices.subList(5, 10));
        assertThat(indices.get(1)).containsExactly(order[5], order[6], order[7], order[8], order[9]);
        for (int i = 0; i < one.size(); i++) {
            assertThat(one.get(i).images().toArray())
                    .as("batch %d", i)
                    .isEqualTo(many.get(i).images().toArray());
        }
        assertThat(many.get(0).rows()).isEqualTo(15);
        assertThat(many.get(0).length()).isEqualTo(15 * 3 * 16 * 16);
    }

    @Test
    void a_row_of_a_batch_is_the_view_of_its_image() throws IOException {
        ImageSource source = files(3);
        try (ImageLoader loader = new ImageLoader(
                source, new int[] {2, 0}, RANDOM, new LoaderSettings(2, 2, 2, ChannelOrder.FIRST), new Seed(9))) {
            ImageBatch batch = loader.next();
            RgbImage image = ((Decoded.Picture) source.load(0, Reduction.NONE)).image();
            float[] expected = RANDOM.valuesOf(image, ChannelOrder.FIRST, new Seed(9).child(0));
            assertThat(batch.pixels().order()).isEqualTo(ChannelOrder.FIRST);
            assertThat(batch.pixels().images()).hasSize(2);
            assertThat(batch.pixels().images().get(1)).containsExactly(expected);
            assertThat(batch.views()).isEqualTo(3);
            assertThat(loader.hasNext()).isFalse();
            assertThatThrownBy(loader::next).hasMessageContaining("delivered");
        }
    }

    @Test
    void rejects_are_listed_and_have_no_row() throws IOException {
        Path good = Files.write(folder.resolve("good"), Fixtures.file(Fixtures.picture(30, 20, 1), "png"));
        Path bad = Files.writeString(folder.resolve("bad.png"), "this is text");
        ImageSource source = ImageSource.ofFiles(List.of(bad, good, bad, folder.resolve("gone")), decoder);
        try (ImageLoader loader = new ImageLoader(
                source, new int[] {0, 1, 2, 3}, RANDOM, new LoaderSettings(2, 2, 2, ChannelOrder.LAST), new Seed(1))) {
            ImageBatch mixed = loader.next();
            assertThat(mixed.indices()).containsExactly(1);
            assertThat(mixed.pixels().rows()).isEqualTo(3);
            assertThat(mixed.rejects()).extracting(ImageBatch.Reject::index).containsExactly(0);
            ImageBatch empty = loader.next();
            assertThat(empty.pixels().rows()).isZero();
            assertThat(empty.rejects())
                    .extracting(reject -> reject.why().reason())
                    .containsExactly(Rejection.UNKNOWN_FORMAT, Rejection.MISSING);
        }
    }

    @Test
    void no_more_than_the_prefetch_is_ever_prepared() throws InterruptedException {
        AtomicInteger loaded = new AtomicInteger();
        try (ImageLoader loader = new ImageLoader(
                counting(loaded, 100),
                IntStream.range(0, 100).toArray(),
                RANDOM,
                new LoaderSettings(4, 3, 2, ChannelOrder.LAST),
                new Seed(1))) {
            awaitIdle(loaded, 8);
            assertThat(loaded).hasValue(8);
            loader.next();
            awaitIdle(loaded, 12);
            assertThat(loaded).hasValue(12);
        }
    }

    @Test
    void a_closed_loader_stops_its_threads_and_keeps_delivered_batches() throws InterruptedException {
        AtomicInteger loaded = new AtomicInteger();
        ImageLoader loader = new ImageLoader(
                counting(loaded, 1000),
                IntStream.range(0, 1000).toArray(),
                RANDOM,
                new LoaderSettings(10, 2, 50, ChannelOrder.LAST),
                new Seed(1));
        ImageBatch batch = loader.next();
        loader.close();
        assertThat(loader.hasNext()).isFalse();
        assertThatThrownBy(loader::next).hasMessageContaining("closed");
        assertThat(batch.pixels().rows()).isEqualTo(30);
        awaitNoWorkers();
        assertThat(loaded.get()).isLessThan(1000);
    }

    @Test
    void a_loader_dropped_half_way_loses_its_threads_by_itself() throws InterruptedException {
        ImageLoader dropped = new ImageLoader(
                counting(new AtomicInteger(), 100),
                IntStream.range(0, 100).toArray(),
                RANDOM,
                new LoaderSettings(4, 2, 2, ChannelOrder.LAST),
                new Seed(1));
        dropped.next();
        awaitNoWorkers();
        assertThat(dropped.hasNext()).isTrue();
    }

    @Test
    void an_interrupted_consumer_gets_a_cancellation() throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        ImageLoader loader = new ImageLoader(
                source(5, index -> {
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return new Decoded.Rejected(Rejection.CORRUPT, "");
                }),
                new int[] {0, 1},
                RANDOM,
                new LoaderSettings(2, 1, 1, ChannelOrder.LAST),
                new Seed(1));
        Thread.currentThread().interrupt();
        assertThatThrownBy(loader::next).isInstanceOf(CancellationException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(loader.hasNext()).isFalse();
    }

    @Test
    void a_failure_that_is_not_a_reject_reaches_the_consumer() {
        ImageLoader broken = new ImageLoader(
                source(1, index -> {
                    throw new IllegalArgumentException("boom " + index);
                }),
                new int[] {0},
                RANDOM,
                LoaderSettings.defaults(1),
                new Seed(1));
        assertThatThrownBy(broken::next).hasMessageContaining("boom 0");
        ImageLoader full = new ImageLoader(
                source(1, index -> {
                    throw new OutOfMemoryError("no heap");
                }),
                new int[] {0},
                RANDOM,
                LoaderSettings.defaults(1),
                new Seed(1));
        assertThatThrownBy(full::next).isInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void invalid_settings_and_indices_are_refused() {
        assertThatThrownBy(() -> new LoaderSettings(0, 1, 1, ChannelOrder.LAST)).hasMessageContaining("batchSize");
        assertThatThrownBy(() -> new ImageLoader(
                        counting(new AtomicInteger(), 3),
                        new int[] {3},
                        RANDOM,
                        LoaderSettings.defaults(2),
                        new Seed(1)))
                .hasMessageContaining("image 3");
        assertThatThrownBy(() -> new InputPixels(List.of(new float[5]), 1, ChannelOrder.LAST))
                .hasMessageContaining("whole views");
    }

    private interface Loading {
        Decoded load(int index);
    }

    private static ImageSource source(int count, Loading loading) {
        return new ImageSource() {
            @Override
            public int count() {
                return count;
            }

            @Override
            public Decoded load(int index, Reduction reduction) {
                return loading.load(index);
            }
        };
    }

    private static ImageSource counting(AtomicInteger loaded, int count) {
        RgbImage picture = Fixtures.picture(20, 20, 1);
        return source(count, index -> {
            loaded.incrementAndGet();
            return new Decoded.Picture(picture, ImageFormat.PNG);
        });
    }

    /** Returns when {@code count} images are loaded and no thread is at work: an image that was not started by then never will be. */
    private static void awaitIdle(AtomicInteger counter, int count) throws InterruptedException {
        await(() -> counter.get() >= count && workers().allMatch(thread -> thread.getState() == Thread.State.WAITING));
    }

    private static void awaitNoWorkers() throws InterruptedException {
        await(() -> workers().findAny().isEmpty());
        assertThat(workers()).isEmpty();
    }

    private static void await(BooleanSupplier happened) throws InterruptedException {
        for (int i = 0; i < 1000 && !happened.getAsBoolean(); i++) {
            Thread.sleep(10);
        }
    }

    private static Stream<Thread> workers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("gramian-image-"));
    }

    private ImageSource files(int count) throws IOException {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            RgbImage picture = Fixtures.picture(20 + i, 40 - i, i);
            files.add(Files.write(folder.resolve("image" + i), Fixtures.file(picture, "png")));
        }
        return ImageSource.ofFiles(files, decoder);
    }

    private static List<InputPixels> all(
            ImageSource source, int[] order, LoaderSettings settings, List<List<Integer>> indices) {
        List<InputPixels> batches = new ArrayList<>();
        try (ImageLoader loader = new ImageLoader(source, order, RANDOM, settings, new Seed(5))) {
            while (loader.hasNext()) {
                ImageBatch batch = loader.next();
                batches.add(batch.pixels());
                indices.add(batch.indices());
            }
        }
        return batches;
    }
}
