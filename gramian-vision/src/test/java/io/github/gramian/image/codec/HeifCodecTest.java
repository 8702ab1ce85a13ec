package io.github.gramian.image.codec;

import static io.github.gramian.image.codec.HeifFixtures.boxes;
import static io.github.gramian.image.codec.HeifFixtures.ispe;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gramian.image.codec.HeifConverter.Cache;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** HEIC files through converters that are shell scripts, and through the real one if it is installed. */
class HeifCodecTest {

    private static final RgbImage PICTURE = Fixtures.picture(40, 30, 1);
    private static final byte[] HEIC = boxes(ispe(40, 30));
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    private Path cache = Path.of("");
    private Path calls = Path.of("");

    @BeforeEach
    void prepare() throws IOException {
        cache = folder.resolve("cache");
        calls = folder.resolve("calls");
        Files.write(folder.resolve("converted.jpg"), Fixtures.file(PICTURE, "jpg"));
    }

    /** A converter that notes each call and then does something with "$3", the input, and "$4", the output. */
    private HeifConverter script(String action, Optional<Path> prlimit, Duration timeout) throws IOException {
        assumeTrue(Files.getFileStore(folder).supportsFileAttributeView("posix"), "shell scripts need a POSIX system");
        String text = "#!/bin/sh\necho called >> " + calls + "\n" + action + "\n";
        Path program = Files.writeString(folder.resolve("heif-convert"), text);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        return new HeifConverter(program, prlimit, timeout);
    }

    private ImageDecoder decoder(String action) throws IOException {
        return decoder(script(action, Optional.empty(), MINUTE));
    }

    private ImageDecoder decoder(HeifConverter converter) {
        return new ImageDecoder(
                ImageLimits.DEFAULT, new HeifCodec(Optional.of(converter), Cache.in(cache, 1 << 20), "unused"));
    }

    private String copying() {
        return "/bin/cp " + folder.resolve("converted.jpg") + " \"$4\"";
    }

    private long called() throws IOException {
        return Files.exists(calls) ? Files.readAllLines(calls).size() : 0;
    }

    private static RgbImage image(Decoded decoded) {
        assertThat(decoded).isInstanceOf(Decoded.Picture.class);
        return ((Decoded.Picture) decoded).image();
    }

    private static Decoded.Rejected rejected(Decoded decoded) {
        assertThat(decoded).isInstanceOf(Decoded.Rejected.class);
        return (Decoded.Rejected) decoded;
    }

    @Test
    void the_converted_image_is_decoded_and_cached_by_content() throws IOException {
        ImageDecoder decoder = decoder(copying());
        RgbImage expected = image(new ImageDecoder(ImageLimits.DEFAULT).decode(Fixtures.file(PICTURE, "jpg")));
        assertThat(image(decoder.decode(HEIC))).isEqualTo(expected);
        assertThat(image(decoder.decode(HEIC))).isEqualTo(expected);
        assertThat(called()).isOne();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(cache)))
                .isEqualTo("rwx------");
        assertThat(image(decoder.decode(boxes(ispe(40, 31))))).isEqualTo(expected);
        assertThat(called()).isEqualTo(2);
        assertThat(((Decoded.Picture) decoder.decode(HEIC)).format()).isEqualTo(ImageFormat.HEIF);
    }

    @Test
    void a_damaged_cached_file_is_replaced() throws IOException {
        ImageDecoder decoder = decoder(copying());
        decoder.decode(HEIC);
        try (Stream<Path> files = Files.list(cache)) {
            Files.write(files.findFirst().orElseThrow(), new byte[] {1, 2, 3});
        }
        assertThat(image(decoder.decode(HEIC)).width()).isEqualTo(40);
        assertThat(called()).isEqualTo(2);
    }

    @Test
    void the_cache_deletes_what_was_not_used_for_the_longest_time() throws IOException {
        Cache small = Cache.in(cache, 250);
        for (String key : new String[] {"one", "two", "three"}) {
            small.put(key, new byte[100]);
            Files.setLastModifiedTime(
                    cache.resolve(key + ".jpg"), FileTime.fromMillis(key.equals("two") ? 1_000 : 2_000));
        }
        small.put("four", new byte[100]);
        assertThat(small.get("two")).isEmpty();
        assertThat(small.get("four")).isPresent();
        small.put("large", new byte[300]);
        assertThat(small.get("large")).isEmpty();
    }

    @Test
    void the_orientation_that_a_converter_copies_is_not_applied_again() throws IOException {
        Files.write(folder.resolve("converted.jpg"), Fixtures.withExif(Fixtures.file(PICTURE, "jpg"), 6));
        RgbImage found = image(decoder(copying()).decode(HEIC));
        assertThat(found.width()).isEqualTo(40);
    }

    @Test
    void photographs_are_decoded_in_reduced_size() throws IOException {
        Files.write(folder.resolve("converted.jpg"), Fixtures.file(Fixtures.picture(400, 300, 1), "jpg"));
        Decoded decoded = decoder(copying()).decode(boxes(ispe(400, 300)), (width, height) -> 4);
        assertThat(image(decoded).width()).isEqualTo(100);
    }

    @Test
    void too_many_pixels_are_rejected_before_the_converter_starts() throws IOException {
        Decoded.Rejected rejected = rejected(decoder(copying()).decode(boxes(ispe(40, 30), ispe(30_000, 30_000))));
        assertThat(rejected.reason()).isEqualTo(Rejection.TOO_MANY_PIXELS);
        assertThat(called()).isZero();
    }

    @Test
    void an_output_with_more_pixels_than_the_header_names_is_rejected() throws IOException {
        Decoded.Rejected rejected = rejected(decoder(copying()).decode(boxes(ispe(20, 20))));
        assertThat(rejected.reason()).isEqualTo(Rejection.CORRUPT);
        assertThat(rejected.sentence()).contains("40×30");
    }

    @Test
    void a_failure_carries_the_converters_message_without_control_characters() throws IOException {
        Decoded.Rejected rejected = rejected(
                decoder("/bin/printf 'no \\033[31mdecoder\\nmore' >&2; exit 3").decode(HEIC));
        assertThat(rejected.reason()).isEqualTo(Rejection.UNREADABLE);
        assertThat(rejected.sentence()).endsWith("(heif-convert failed: no ?[31mdecoder)");
        assertThat(rejected(decoder("exit 0").decode(HEIC)).sentence()).endsWith("(heif-convert failed)");
    }

    @Test
    void a_converter_that_takes_too_long_is_killed() throws IOException {
        long start = System.nanoTime();
        HeifConverter slow = script("exec /bin/sleep 60", Optional.empty(), Duration.ofSeconds(1));
        assertThat(rejected(decoder(slow).decode(HEIC)).sentence()).contains("took more than 1 s");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
    }

    @Test
    void memory_is_limited_and_the_environment_is_not_inherited() throws IOException {
        Optional<Path> prlimit = HeifConverter.find(System.getenv().getOrDefault("PATH", ""), "prlimit");
        assumeTrue(prlimit.isPresent(), "prlimit is not installed (Debian package util-linux)");
        HeifConverter telling = script("echo $(ulimit -v) home=$HOME >&2; exit 1", prlimit, MINUTE);
        long kilobytes = ((1L << 30) + 24 * 40 * 30) / 1024;
        assertThat(rejected(decoder(telling).decode(HEIC)).sentence()).endsWith(kilobytes + " home=)");
    }

    @Test
    void without_a_converter_the_rejection_gives_the_command_and_is_not_cached() {
        for (HeifCodec codec : new HeifCodec[] {
            HeifCodec.rejecting(), new HeifCodec(Optional.empty(), Cache.none(), "install heif-convert")
        }) {
            Decoded.Rejected rejected =
                    rejected(new ImageDecoder(ImageLimits.DEFAULT, codec).decode(HEIC, Reduction.NONE));
            assertThat(rejected.reason()).isEqualTo(Rejection.NEEDS_CONVERTER);
            assertThat(rejected.reason().isOfContent()).isFalse();
            assertThat(rejected.sentence())
                    .startsWith("HEIC and AVIF files need a converter")
                    .contains("heif-convert");
        }
    }

    @Test
    void programs_are_only_looked_for_in_absolute_directories() throws IOException {
        script("exit 0", Optional.empty(), MINUTE);
        Path relative = Path.of("").toAbsolutePath().relativize(folder.toAbsolutePath());
        assertThat(HeifConverter.find(relative + "::.", "heif-convert")).isEmpty();
        assertThat(HeifConverter.find("/nowhere:" + folder, "heif-convert")).contains(folder.resolve("heif-convert"));
        assertThat(HeifConverter.find(folder.toString(), "converted.jpg")).isEmpty();
    }
}
