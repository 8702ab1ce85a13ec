package io.github.gramian.onnx.parity.internal;

import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.dense.internal.WholePhoto;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.tensor.Seed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Images to compare two engines with: files, or patterns drawn from a seed. */
public interface SampleImages {

    int count();

    /** The views of an image for each scale; empty if it cannot be read. */
    Optional<List<List<RgbImage>>> views(int index, List<Preprocessing> scales);

    /** All of an image, as a model of whole photographs sees it; empty if it cannot be read. */
    Optional<RgbImage> photograph(int index, WholePhoto view);

    static SampleImages below(Path folder) {
        List<Path> files = Layouts.images(folder);
        if (files.isEmpty()) {
            throw new IllegalArgumentException(folder + " contains no images; give another directory");
        }
        return ofFiles(files);
    }

    static SampleImages ofFiles(List<Path> files) {
        ImageDecoder decoder = ImageDecoder.forLocalFiles();
        return new SampleImages() {
            @Override
            public int count() {
                return files.size();
            }

            @Override
            public Optional<List<List<RgbImage>>> views(int index, List<Preprocessing> scales) {
                List<List<RgbImage>> views = new ArrayList<>();
                for (Preprocessing scale : scales) {
                    if (!(decoder.decode(files.get(index), scale::reduction) instanceof Decoded.Picture picture)) {
                        return Optional.empty();
                    }
                    views.add(scale.viewsOf(picture.image(), new Seed(0)));
                }
                return Optional.of(views);
            }

            @Override
            public Optional<RgbImage> photograph(int index, WholePhoto view) {
                return view.resized(view.open(decoder.open(files.get(index))));
            }
        };
    }

    /** Patterns of stripes and grain, the same for the same seed; photographs have several shapes. */
    static SampleImages drawn(int count, Seed seed) {
        return new SampleImages() {
            @Override
            public int count() {
                return count;
            }

            @Override
            public Optional<List<List<RgbImage>>> views(int index, List<Preprocessing> scales) {
                RgbImage image = pattern(320, 240, seed.child(index).random());
                return Optional.of(scales.stream()
                        .map(scale -> scale.viewsOf(image, new Seed(0)))
                        .toList());
            }

            @Override
            public Optional<RgbImage> photograph(int index, WholePhoto view) {
                return Optional.of(view.resized(
                        pattern(320 + 37 * index, 240, seed.child(index).random())));
            }
        };
    }

    private static RgbImage pattern(int width, int height, SplittableRandom random) {
        byte[] pixels = new byte[3 * width * height];
        double across = 0.02 + 0.5 * random.nextDouble();
        double down = 0.02 + 0.5 * random.nextDouble();
        int[] light = {random.nextInt(40, 200), random.nextInt(40, 200), random.nextInt(40, 200)};
        for (int y = 0, at = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                double wave = 0.5 + 0.5 * Math.sin(across * x + down * y + 2 * Math.sin(0.05 * y));
                for (int c = 0; c < 3; c++) {
                    pixels[at++] = (byte) (int) (wave * light[c] + random.nextInt(50));
                }
            }
        }
        return new RgbImage(width, height, pixels);
    }

    /** The views of images from..to, one after another, for each scale; those of files that cannot be read are left out. */
    static List<List<RgbImage>> batch(SampleImages images, int from, int to, List<Preprocessing> scales) {
        List<List<RgbImage>> batch = new ArrayList<>();
        scales.forEach(scale -> batch.add(new ArrayList<>()));
        for (int i = from; i < to; i++) {
            Optional<List<List<RgbImage>>> views = images.views(i, scales);
            if (views.isPresent()) {
                for (int scale = 0; scale < scales.size(); scale++) {
                    batch.get(scale).addAll(views.get().get(scale));
                }
            }
        }
        return batch;
    }

    /** The same views as a graph or network takes them, one row each. */
    static List<InputPixels> pixels(List<List<RgbImage>> batch, List<Preprocessing> scales, ChannelOrder order) {
        return IntStream.range(0, scales.size())
                .mapToObj(s -> pixels(batch.get(s), scales.get(s), order))
                .toList();
    }

    private static InputPixels pixels(List<RgbImage> views, Preprocessing scale, ChannelOrder order) {
        List<float[]> rows = new ArrayList<>();
        for (RgbImage view : views) {
            float[] pixels = new float[scale.viewLength()];
            scale.normalisation().write(view, order, pixels, 0);
            rows.add(pixels);
        }
        return new InputPixels(rows, scale.size(), order);
    }

    /** The place of the largest value, the first of equal ones. */
    static int top(float[] row) {
        int best = 0;
        for (int k = 1; k < row.length; k++) {
            best = row[k] > row[best] ? k : best;
        }
        return best;
    }
}
