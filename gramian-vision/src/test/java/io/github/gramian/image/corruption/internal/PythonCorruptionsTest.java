package io.github.gramian.image.corruption.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.Needs;
import io.github.gramian.check.PythonProgram;
import io.github.gramian.check.Tool;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.Fixtures;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All corruptions against a Python program that was written independently. */
@Tag("slow")
@Needs({Tool.PILLOW, Tool.SCIPY})
class PythonCorruptionsTest {

    private static final int IMAGES = 10;
    private static final int SIDE = 224;

    /** Their pixels depend on few random numbers, so several corrupted copies of each image are compared. */
    private static final Set<CorruptionType> REPEATED = Set.of(
            CorruptionType.MOTION_BLUR,
            CorruptionType.SNOW,
            CorruptionType.ICE,
            CorruptionType.FOG,
            CorruptionType.ELASTIC_TRANSFORM);

    @TempDir
    private Path directory;

    @Test
    void all_corruptions_agree_with_an_independent_program() throws IOException {
        List<RgbImage> images = images();
        assertThat(images).hasSize(IMAGES);
        for (int n = 0; n < IMAGES; n++) {
            Files.write(directory.resolve(n + ".rgb"), images.get(n).pixels());
            for (CorruptionType type : CorruptionType.values()) {
                for (int severity = 1; severity <= Corruption.MAX_SEVERITY; severity++) {
                    for (int repeat = 0; repeat < (REPEATED.contains(type) ? 4 : 1); repeat++) {
                        RgbImage corrupted = new Corruption(type, severity).apply(images.get(n), new Seed(repeat));
                        String name = type.key() + "-" + severity + "-" + n + "-" + repeat + ".rgb";
                        Files.write(directory.resolve(name), corrupted.pixels());
                    }
                }
            }
        }
        PythonProgram.run(List.of(Tool.PILLOW, Tool.SCIPY), Path.of("src/test/python/corruptions.py"), directory);
    }

    /** The middle of photographs if they are here, otherwise drawn pictures. */
    private static List<RgbImage> images() throws IOException {
        List<RgbImage> images = new ArrayList<>();
        if (!Fixtures.hasData("cub20")) {
            for (int n = 0; n < IMAGES; n++) {
                images.add(CorruptionTest.picture(SIDE, SIDE, n));
            }
            return images;
        }
        try (Stream<Path> files = Files.walk(Fixtures.data("cub20/images"))) {
            List<Path> photographs = files.filter(file -> file.toString().endsWith(".jpg"))
                    .sorted()
                    .toList();
            ImageDecoder decoder = new ImageDecoder(ImageLimits.DEFAULT);
            for (int n = 0; n < IMAGES; n++) {
                Path file = photographs.get(n * photographs.size() / IMAGES);
                RgbImage image = ((Decoded.Picture) decoder.decode(file)).image();
                images.add(image.cut(new RgbImage.Window(
                        (image.width() - SIDE) / 2, (image.height() - SIDE) / 2, SIDE, SIDE, false)));
            }
        }
        return images;
    }
}
