package io.github.gramian.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.gramian.check.Needs;
import io.github.gramian.check.Tool;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.Fixtures;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageDecoderTest;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.PreprocessingKeyTest;
import io.github.gramian.image.internal.Resampler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Networks were trained on Pillow's pixels; ours are the same. */
@Needs(Tool.PILLOW)
class PillowAgreementTest {

    /** Arguments: output folder, filter, width, height, files. Writes N.raw (decoded) and N.resized. */
    private static final String RESIZE = """
            import sys
            from PIL import Image, ImageOps
            out, kind, w, h = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
            for n, name in enumerate(sys.argv[5:]):
                image = ImageOps.exif_transpose(Image.open(name)).convert('RGB')
                open('%s/%d.raw' % (out, n), 'wb').write(image.tobytes())
                small = image.resize((w, h), {'bilinear': Image.BILINEAR, 'bicubic': Image.BICUBIC}[kind])
                open('%s/%d.resized' % (out, n), 'wb').write(small.tobytes())
            """;

    /** Writes a file of every kind and, next to it, its pixels. TIFF is turned upright by Pillow itself. */
    private static final String KINDS = """
            import sys, glob
            from PIL import Image, ImageOps
            out = sys.argv[1]
            image = Image.open(out + '/picture.png').convert('RGB')
            alpha = image.copy()
            alpha.putalpha(image.convert('L'))
            grey, bits, palette = image.convert('L'), image.convert('1'), image.quantize(200)
            image.save(out + '/base.jpg', quality=90)
            image.save(out + '/progressive.jpg', progressive=True)
            for s in (0, 1, 2):
                image.save(out + '/sampling%d.jpg' % s, subsampling=s)
            grey.save(out + '/grey.jpg')
            image.convert('CMYK').save(out + '/cmyk.jpg')
            inks = open(out + '/cmyk.jpg', 'rb').read()
            adobe = inks.index(b'Adobe')
            open(out + '/ycck.jpg', 'wb').write(inks[:adobe + 11] + bytes([2]) + inks[adobe + 12:])
            plain = bytearray(open(out + '/sampling0.jpg', 'rb').read().replace(b'JFIF', b'NONE'))
            open(out + '/unmarked.jpg', 'wb').write(plain)
            frame, scan = plain.index(b'\\xff\\xc0') + 10, plain.index(b'\\xff\\xda') + 5
            plain[frame:frame + 9:3] = plain[scan:scan + 6:2] = b'RGB'
            open(out + '/named.jpg', 'wb').write(plain)
            for o in range(1, 9):
                exif = Image.Exif()
                exif[274] = o
                image.save(out + '/exif%d.jpg' % o, exif=exif)
                image.save(out + '/exif%d.png' % o, exif=exif)
                image.save(out + '/exif%d.webp' % o, exif=exif, lossless=True)
                image.save(out + '/turned%d.tif' % o, tiffinfo={274: o})
            for kind in ('png', 'bmp', 'tif', 'gif'):
                for name, value in (('rgb', image), ('grey', grey), ('bits', bits), ('palette', palette)):
                    value.save(out + '/%s.%s' % (name, kind))
            for kind in ('png', 'tif', 'bmp'):
                alpha.save(out + '/alpha.' + kind)
            alpha.convert('LA').save(out + '/greyalpha.png')
            alpha.save(out + '/alpha.webp', lossless=True)
            for quality in (1, 30, 80, 100):
                for method in (0, 4, 6):
                    image.save(out + '/lossy%d-%d.webp' % (quality, method), quality=quality, method=method)
                image.resize((17, 1)).save(out + '/thin%d.webp' % quality, quality=quality)
            alpha.save(out + '/lossyalpha.webp')
            for colours in (1, 2, 4, 16, 200):
                image.quantize(colours).convert('RGB').save(out + '/colours%d.webp' % colours, lossless=True)
            for method in (0, 3, 6):
                image.save(out + '/lossless%d.webp' % method, lossless=True, method=method, quality=100)
            for colours in (2, 4, 16):
                image.quantize(colours).save(out + '/colours%d.png' % colours, transparency=1)
            image.convert('CMYK').save(out + '/cmyk.tif')
            for c in ('tiff_lzw', 'packbits', 'tiff_deflate', 'tiff_adobe_deflate', 'jpeg'):
                image.save(out + '/%s.tif' % c, compression=c)
            for c in ('group3', 'group4'):
                bits.save(out + '/%s.tif' % c, compression=c)
            palette.save(out + '/animation.gif', save_all=True, append_images=[palette.rotate(90)])
            image.save(out + '/animation.webp', save_all=True, lossless=True, append_images=[image.rotate(90)])
            for name in glob.glob(out + '/*.*'):
                opened = Image.open(name)
                upright = opened if name.endswith('.tif') else ImageOps.exif_transpose(opened)
                open(name + '.raw', 'wb').write(upright.convert('RGB').tobytes())
            """;

    /** Writes JPEGs of several kinds and, for each, its pixels reduced by 2, 4 and 8. */
    private static final String REDUCED = """
            import sys, glob
            from PIL import Image, ImageOps
            out = sys.argv[1]
            image = Image.open(out + '/picture.png').convert('RGB')
            for s in (0, 1, 2):
                image.save(out + '/sampling%d.jpg' % s, subsampling=s, quality=90)
            image.save(out + '/progressive.jpg', progressive=True)
            image.convert('L').save(out + '/grey.jpg')
            for o in (3, 6):
                exif = Image.Exif()
                exif[274] = o
                image.save(out + '/exif%d.jpg' % o, exif=exif)
            for name in glob.glob(out + '/*.jpg'):
                for r in (2, 4, 8):
                    opened = Image.open(name)
                    opened.draft(opened.mode, (opened.width // r, opened.height // r))
                    open('%s.%d' % (name, r), 'wb').write(ImageOps.exif_transpose(opened).convert('RGB').tobytes())
            """;

    private final ImageDecoder decoder = new ImageDecoder(ImageLimits.DEFAULT);

    @TempDir
    Path folder;

    @Test
    void every_kind_of_file_gives_the_same_pixels() throws IOException {
        Files.write(folder.resolve("picture.png"), Fixtures.file(Fixtures.picture(97, 63, 5), "png"));
        Pillow.run(KINDS, folder.toString());
        List<Path> files = files(name -> !name.endsWith(".raw"));
        assertThat(files).hasSize(102);
        for (Path file : files) {
            Decoded decoded = decoder.decode(file);
            assertThat(decoded).as(file.toString()).isInstanceOf(Decoded.Picture.class);
            byte[] pillows = Files.readAllBytes(Path.of(file + ".raw"));
            assertThat(((Decoded.Picture) decoded).image().pixels())
                    .as(file.toString())
                    .isEqualTo(pillows);
        }
    }

    @Test
    void a_reduced_jpeg_has_the_pixels_of_pillows_draft() throws IOException {
        Files.write(folder.resolve("picture.png"), Fixtures.file(Fixtures.picture(645, 482, 5), "png"));
        Pillow.run(REDUCED, folder.toString());
        List<Path> files = files(name -> name.endsWith(".jpg"));
        assertThat(files).hasSize(7);
        for (Path file : files) {
            for (int r : new int[] {2, 4, 8}) {
                RgbImage image = ((Decoded.Picture) decoder.decode(file, (width, height) -> r)).image();
                assertThat(image.width() * image.height()).isEqualTo((644 / r + 1) * (481 / r + 1));
                assertThat(image.pixels())
                        .as(file + " reduced by " + r)
                        .isEqualTo(Files.readAllBytes(Path.of(file + "." + r)));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"bilinear, 224, 224", "bicubic, 224, 224", "bilinear, 97, 301", "bicubic, 500, 60"})
    void resizing_agrees_on_real_images(String filter, int width, int height) throws IOException {
        assumeThat(Fixtures.hasData("dtd")).as("the real images are here").isTrue();
        List<Path> files = realImages(50);
        Pillow.run(
                RESIZE,
                Stream.concat(
                                Stream.of(folder.toString(), filter, "" + width, "" + height),
                                files.stream().map(Path::toString))
                        .toArray(String[]::new));
        Resampler resampler = new Resampler(PreprocessingKeyTest.interpolation(filter));
        double decoding = 0;
        double resizing = 0;
        for (int i = 0; i < files.size(); i++) {
            RgbImage image = ((Decoded.Picture) decoder.decode(files.get(i))).image();
            RgbImage pillows =
                    new RgbImage(image.width(), image.height(), Files.readAllBytes(folder.resolve(i + ".raw")));
            RgbImage resized = new RgbImage(width, height, Files.readAllBytes(folder.resolve(i + ".resized")));
            decoding = Math.max(decoding, ImageDecoderTest.distance(image, pillows));
            resizing = Math.max(resizing, ImageDecoderTest.distance(resampler.resize(image, width, height), resized));
        }
        assertThat(decoding).isZero();
        assertThat(resizing).isZero();
    }

    private List<Path> files(Predicate<String> wanted) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> wanted.test(file.toString())).sorted().toList();
        }
    }

    private static List<Path> realImages(int count) throws IOException {
        try (Stream<Path> dtd = Files.walk(Fixtures.data("dtd/images"));
                Stream<Path> birds = Files.walk(Fixtures.data("cub20/images"))) {
            List<Path> all = Stream.concat(dtd, birds)
                    .filter(file -> file.toString().endsWith(".jpg"))
                    .sorted()
                    .collect(Collectors.toList());
            int step = all.size() / count;
            return Stream.iterate(0, i -> i + step).limit(count).map(all::get).toList();
        }
    }
}
