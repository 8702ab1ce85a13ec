package io.github.gramian.onnx.parity.internal;

import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.tensor.Seed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** Images to compare two engines with: files, or patterns drawn from a seed. */
public interface SampleImages {

    int count();

    /** The views of an image for each scale; empty if it cannot be read. */
    Optional<List<List<RgbImage>>> views(int index, List<Preprocessing> scales);

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
        };
    }

    /** Patterns of stripes and grain, the same for the same seed. */
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
}
