package io.github.gramian.image.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.github.gramian.check.FullForm;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Any bytes give a value: no exception, no endless loop, no memory beyond the limits. */
class HostileBytesTest {

    private static final RgbImage PICTURE = Fixtures.picture(33, 21, 1);

    private static final int MUTATIONS = FullForm.rounds(20_000, 1_500);

    /** Small limits, so that a mutated header cannot ask for more than a few megabytes. */
    private final ImageDecoder decoder = new ImageDecoder(new ImageLimits(1 << 20, 2048, 2048, 1 << 16));

    static Stream<String> names() throws IOException {
        return files().keySet().stream();
    }

    private static Map<String, byte[]> files() throws IOException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put("jpeg", Fixtures.withExif(Fixtures.file(PICTURE, "jpg"), 6));
        files.put("progressive jpeg", Fixtures.progressive(PICTURE, "jpg"));
        files.put("grey jpeg", Fixtures.file(Fixtures.asAwt(PICTURE, BufferedImage.TYPE_BYTE_GRAY), "jpg"));
        files.put("png", Fixtures.file(PICTURE, "png"));
        files.put("interlaced png", Fixtures.progressive(PICTURE, "png"));
        files.put("palette png", Fixtures.file(Fixtures.asAwt(PICTURE, BufferedImage.TYPE_BYTE_INDEXED), "png"));
        files.put("bmp", Fixtures.file(PICTURE, "bmp"));
        files.put("palette bmp", Fixtures.file(Fixtures.asAwt(PICTURE, BufferedImage.TYPE_BYTE_INDEXED), "bmp"));
        files.put("gif", Fixtures.file(PICTURE, "gif"));
        files.put("tiff", Fixtures.file(PICTURE, "tiff"));
        files.put("grey tiff", Fixtures.file(Fixtures.asAwt(PICTURE, BufferedImage.TYPE_BYTE_GRAY), "tiff"));
        files.put("webp", Fixtures.webp(33, 21, 1, 2, 3));
        files.put("lossy webp", Fixtures.lossyWebp());
        files.put("smooth webp", Fixtures.smoothWebp());
        files.put("palette webp", Fixtures.paletteWebp());
        return files;
    }

    @ParameterizedTest
    @MethodSource("names")
    void mutated_files_only_ever_give_values(String name) throws IOException {
        byte[] file = Objects.requireNonNull(files().get(name));
        assertThat(decoder.decode(file)).isInstanceOf(Decoded.Picture.class);
        Map<Rejection, Integer> reasons = new EnumMap<>(Rejection.class);
        Assertions.assertTimeoutPreemptively(Duration.ofMinutes(10), () -> {
            for (int i = 0; i < MUTATIONS; i++) {
                byte[] hostile = withChecksums(mutated(file, new SplittableRandom(i)));
                int number = i;
                assertThatCode(() -> count(reasons, decoder.decode(hostile)))
                        .as("%s, mutation %d", name, number)
                        .doesNotThrowAnyException();
            }
        });
        // Some mutations must be rejected, or nothing was tested.
        assertThat(reasons.values().stream().mapToInt(Integer::intValue).sum()).isGreaterThan(MUTATIONS / 50);
        assertThat(reasons).doesNotContainKey(Rejection.OUT_OF_MEMORY);
    }

    private static void count(Map<Rejection, Integer> reasons, Decoded decoded) {
        if (decoded instanceof Decoded.Rejected rejected) {
            reasons.merge(rejected.reason(), 1, Integer::sum);
        }
    }

    /** A PNG with its checksums put right again, so that the mutation gets past them. */
    static byte[] withChecksums(byte[] file) {
        if (ImageFormat.of(file).orElse(ImageFormat.GIF) != ImageFormat.PNG) {
            return file;
        }
        int at = 8;
        while (at + 12 <= file.length) {
            int length = ByteBuffer.wrap(file).getInt(at);
            if (length < 0 || length > file.length - at - 12) {
                break;
            }
            CRC32 crc = new CRC32();
            crc.update(file, at + 4, length + 4);
            ByteBuffer.wrap(file).putInt(at + 8 + length, (int) crc.getValue());
            at += 12 + length;
        }
        return file;
    }

    /** Flips, overwrites with telling values, cuts, repeats; mostly near the start, where the headers are. */
    private static byte[] mutated(byte[] file, SplittableRandom random) {
        byte[] hostile = file.clone();
        byte[] telling = {0, 1, (byte) 0x7F, (byte) 0x80, (byte) 0xFF};
        int changes = 1 + random.nextInt(6);
        for (int i = 0; i < changes; i++) {
            int reach = random.nextInt(3) == 0 ? hostile.length : Math.min(hostile.length, 128);
            int at = random.nextInt(reach);
            switch (random.nextInt(5)) {
                case 0 -> hostile[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> hostile[at] = (byte) random.nextInt(256);
                case 2 ->
                    Arrays.fill(hostile, at, Math.min(at + 4, hostile.length), telling[random.nextInt(telling.length)]);
                case 3 -> {
                    int from = random.nextInt(hostile.length);
                    System.arraycopy(
                            file,
                            Math.min(from, file.length - 1),
                            hostile,
                            at,
                            Math.min(16, Math.min(hostile.length - at, file.length - Math.min(from, file.length - 1))));
                }
                default ->
                    hostile = random.nextInt(4) == 0
                            ? Arrays.copyOf(hostile, Math.max(1, random.nextInt(hostile.length)))
                            : hostile;
            }
        }
        return hostile;
    }
}
