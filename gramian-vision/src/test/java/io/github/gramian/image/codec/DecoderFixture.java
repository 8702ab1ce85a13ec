package io.github.gramian.image.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** A picture, a decoder, and what it makes of files. */
abstract class DecoderFixture {

    static final RgbImage PICTURE = Fixtures.picture(40, 27, 1);

    final ImageDecoder decoder = new ImageDecoder(ImageLimits.DEFAULT);

    @TempDir
    Path folder;

    static Stream<byte[]> wholeFiles() throws IOException {
        return Stream.of(
                Fixtures.file(PICTURE, "jpg"),
                Fixtures.progressive(PICTURE, "jpg"),
                Fixtures.file(PICTURE, "png"),
                Fixtures.file(PICTURE, "bmp"),
                Fixtures.file(PICTURE, "gif"),
                Fixtures.file(PICTURE, "tiff"),
                Fixtures.lossyWebp(),
                Fixtures.smoothWebp(),
                Fixtures.paletteWebp(),
                Fixtures.webp(30, 20, 9, 8, 7));
    }

    RgbImage image(byte[] file) {
        Decoded decoded = decoder.decode(file);
        assertThat(decoded).isInstanceOf(Decoded.Picture.class);
        return ((Decoded.Picture) decoded).image();
    }

    Rejection rejection(byte[] file) {
        return ((Decoded.Rejected) decoder.decode(file)).reason();
    }

    Rejection rejection(Path file) {
        return ((Decoded.Rejected) decoder.decode(file)).reason();
    }

    /** Where a marker of a JPEG (its FF) or the first such byte of a GIF stands. */
    static int indexOf(byte[] file, int marker) {
        boolean jpeg = file[0] == (byte) 0xFF;
        for (int i = jpeg ? 2 : 13 + 3 * (2 << (file[10] & 7)); ; i++) {
            if (jpeg ? file[i] == (byte) 0xFF && file[i + 1] == (byte) marker : file[i] == (byte) marker) {
                return jpeg ? i + 1 : i;
            }
        }
    }
}
