package io.github.gramian.studio.project.internal;

import io.github.gramian.cli.report.Thumbnails;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.Resampler;
import io.github.gramian.io.internal.AtomicFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;

/** Small copies of photographs as JPEG, made when they are first asked for and then stored in a cache. */
public final class Pictures {

    private static final int THUMBNAIL = 160;
    private static final int LARGE = 1024;

    /** A longer list helps nobody. */
    static final int MAX_PROBLEMS = 200;

    private final Photographs photographs;
    private final Path cache;
    private final ImageDecoder decoder = ImageDecoder.forLocalFiles();
    private final Resampler resampler = new Resampler(Interpolation.BICUBIC);

    public Pictures(Photographs photographs, Path cache) {
        this.photographs = photographs;
        this.cache = cache;
    }

    /** At most 160 pixels a side; empty if the photograph cannot be read. */
    public Optional<byte[]> thumbnail(int number) throws IOException {
        Path file = photographs.file(number);
        Path stored = cache.resolve(key(file) + ".jpg");
        if (Files.isRegularFile(stored)) {
            return Optional.of(Files.readAllBytes(stored));
        }
        Optional<byte[]> made = jpeg(file, THUMBNAIL);
        if (made.isPresent()) {
            AtomicFile.makeFolder(cache);
            AtomicFile.writeBytes(stored, ByteBuffer.wrap(made.get()));
        }
        return made;
    }

    /** At most 1024 pixels a side; empty if the photograph cannot be read. */
    public Optional<byte[]> large(int number) {
        return jpeg(photographs.file(number), LARGE);
    }

    /**
     * Why photographs cannot be read, after their paths; the first ones of many.
     *
     * @param places of the photographs in what could be read, or -1
     */
    List<String> problems(int[] places) {
        return IntStream.range(0, places.length)
                .filter(image -> places[image] < 0)
                .limit(MAX_PROBLEMS)
                .mapToObj(image -> photographs.path(image) + ": " + problem(photographs.file(image)))
                .toList();
    }

    private String problem(Path file) {
        return decoded(file, THUMBNAIL) instanceof Decoded.Rejected rejected
                ? rejected.sentence()
                : "it has no features";
    }

    /** Another one for a file that was replaced. */
    private static String key(Path file) {
        try {
            String text = file + "\n" + Files.size(file) + "\n"
                    + Files.getLastModifiedTime(file).toMillis();
            return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString();
        } catch (IOException e) {
            return "missing";
        }
    }

    private Decoded decoded(Path file, int side) {
        return decoder.decode(
                file,
                (width, height) ->
                        ImageDecoder.Reduction.leaving(Math.max(width, height), Math.max(width, height), side, side));
    }

    private Optional<byte[]> jpeg(Path file, int side) {
        if (!(decoded(file, side) instanceof Decoded.Picture picture)) {
            return Optional.empty();
        }
        RgbImage image = picture.image();
        double factor = Math.min(1, side / (double) Math.max(image.width(), image.height()));
        int width = (int) Math.max(1, Math.round(factor * image.width()));
        int height = (int) Math.max(1, Math.round(factor * image.height()));
        return Thumbnails.encoded(Thumbnails.raster(resampler.resize(image, width, height)), "jpeg");
    }
}
