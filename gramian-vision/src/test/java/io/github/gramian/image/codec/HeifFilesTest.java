package io.github.gramian.image.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.Needs;
import io.github.gramian.check.Tool;
import io.github.gramian.image.codec.HeifConverter.Cache;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole HEIC and AVIF files, made by heif-enc and read through the installed converter. */
@Needs(Tool.HEIF)
class HeifFilesTest {

    @TempDir
    Path folder;

    private RgbImage image(byte[] file) {
        Optional<HeifConverter> installed = HeifConverter.installed();
        HeifCodec codec = new HeifCodec(installed, Cache.in(folder.resolve("cache"), 1 << 20), "");
        Decoded decoded = new ImageDecoder(ImageLimits.DEFAULT, codec).decode(file);
        assertThat(decoded).isInstanceOf(Decoded.Picture.class);
        return ((Decoded.Picture) decoded).image();
    }

    /** Red left, blue right, with a green top. */
    private static RgbImage quadrants() {
        byte[] pixels = new byte[3 * 120 * 80];
        for (int i = 0; i < 120 * 80; i++) {
            int channel = i / 120 < 20 ? 1 : i % 120 < 60 ? 0 : 2;
            pixels[3 * i + channel] = (byte) 200;
        }
        return new RgbImage(120, 80, pixels);
    }

    private static void requireColour(RgbImage image, int x, int y, int channel) {
        for (int c = 0; c < 3; c++) {
            assertThat(image.sample(x, y, c))
                    .as("channel %d at %d,%d", c, x, y)
                    .isBetween(c == channel ? 180 : 0, c == channel ? 220 : 30);
        }
    }

    @Test
    void heic_is_read() throws IOException {
        RgbImage found = image(HeifFixtures.encoded(folder, quadrants()));
        assertThat(found.width()).isEqualTo(120);
        assertThat(found.height()).isEqualTo(80);
        requireColour(found, 20, 60, 0);
        requireColour(found, 100, 60, 2);
        requireColour(found, 50, 6, 1);
    }

    @Test
    void avif_is_read() throws IOException {
        RgbImage found = image(HeifFixtures.encoded(folder, quadrants(), "-A"));
        requireColour(found, 20, 60, 0);
        requireColour(found, 100, 60, 2);
    }

    @Test
    void a_turned_photograph_is_turned_once() throws IOException {
        byte[] heic = HeifFixtures.turned(HeifFixtures.encoded(folder, quadrants()), 3);
        RgbImage found = image(heic);
        assertThat(found.width()).isEqualTo(80);
        assertThat(found.height()).isEqualTo(120);
        requireColour(found, 74, 50, 1); // the top is on the right now
        requireColour(found, 20, 20, 0);
        requireColour(found, 20, 100, 2);
    }

    @Test
    void the_orientation_in_the_camera_data_is_ignored_as_the_format_demands() throws IOException {
        byte[] jpeg = Fixtures.withExif(Fixtures.file(quadrants(), "jpg"), 6);
        RgbImage found = image(HeifFixtures.encodedJpeg(folder, jpeg));
        assertThat(found.width()).isEqualTo(120);
        requireColour(found, 50, 6, 1);
    }
}
