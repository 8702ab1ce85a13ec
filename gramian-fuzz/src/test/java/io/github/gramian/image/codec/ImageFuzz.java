package io.github.gramian.image.codec;

import io.github.gramian.fuzz.FindingException;
import io.github.gramian.fuzz.FuzzTarget;
import io.github.gramian.image.codec.Codec.Refusal;
import io.github.gramian.image.codec.HeifCodec.Boxes;
import java.awt.image.BufferedImage;
import java.util.List;

/** Image files, one target per format. The decoder returns a value for any input. */
public final class ImageFuzz {

    private static final RgbImage PICTURE = Fixtures.picture(17, 11, 1);

    private static final ImageDecoder DECODER = new ImageDecoder(new ImageLimits(1 << 20, 2048, 2048, 1 << 18));

    private ImageFuzz() {}

    public static List<FuzzTarget> targets() {
        return List.of(
                target(
                        "jpeg",
                        () -> List.of(
                                Fixtures.withExif(Fixtures.file(PICTURE, "jpg"), 6),
                                Fixtures.progressive(PICTURE, "jpg"),
                                Fixtures.file(Fixtures.asAwt(PICTURE, BufferedImage.TYPE_BYTE_GRAY), "jpg"))),
                target(
                        "webp",
                        () -> List.of(
                                Fixtures.webp(17, 11, 1, 2, 3),
                                Fixtures.lossyWebp(),
                                Fixtures.smoothWebp(),
                                Fixtures.paletteWebp())),
                target(
                        "png",
                        () -> List.of(
                                Fixtures.file(PICTURE, "png"),
                                Fixtures.progressive(PICTURE, "png"),
                                Fixtures.file(Fixtures.asAwt(PICTURE, BufferedImage.TYPE_BYTE_INDEXED), "png"))),
                target("gif", () -> List.of(Fixtures.file(PICTURE, "gif"))),
                target(
                        "bmp",
                        () -> List.of(
                                Fixtures.file(PICTURE, "bmp"),
                                Fixtures.file(Fixtures.asAwt(PICTURE, BufferedImage.TYPE_BYTE_INDEXED), "bmp"))),
                target(
                        "tiff",
                        () -> List.of(
                                Fixtures.file(PICTURE, "tiff"),
                                Fixtures.file(Fixtures.asAwt(PICTURE, BufferedImage.TYPE_BYTE_GRAY), "tiff"))),
                FuzzTarget.of(
                        "heif",
                        () -> List.of(
                                HeifFixtures.boxes(HeifFixtures.ispe(17, 11)),
                                HeifFixtures.boxes(
                                        HeifFixtures.ispe(512, 512),
                                        HeifFixtures.box("hvcC"),
                                        HeifFixtures.ispe(4032, 3024))),
                        ImageFuzz::readBoxes,
                        Refusal.class));
    }

    private static FuzzTarget target(String name, FuzzTarget.Seeds seeds) {
        return FuzzTarget.of(name, seeds, ImageFuzz::read, RejectedException.class);
    }

    /** The boxes alone: a child process per input would be too slow, and is not ours. */
    private static void readBoxes(byte[] bytes) throws Refusal {
        ImageFormat.of(bytes);
        Boxes.largest(bytes);
    }

    private static void read(byte[] bytes) throws RejectedException {
        if (DECODER.decode(HostileBytesTest.withChecksums(bytes.clone())) instanceof Decoded.Rejected rejected) {
            if (rejected.reason() == Rejection.OUT_OF_MEMORY) {
                throw new FindingException(rejected.toString());
            }
            throw new RejectedException(rejected);
        }
    }

    /** A rejection is a value; here it becomes what other readers throw. */
    private static final class RejectedException extends Exception {

        private static final long serialVersionUID = 1L;

        RejectedException(Decoded.Rejected rejected) {
            super(rejected.toString(), null, false, false);
        }
    }
}
