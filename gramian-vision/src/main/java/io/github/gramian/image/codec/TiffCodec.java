package io.github.gramian.image.codec;

import io.github.gramian.image.codec.ImageDecoder.Reduction;
import java.io.IOException;

/** TIFF: the first page, with 1 to 16 bits a sample; strips or tiles; the compressions that TwelveMonkeys knows. */
final class TiffCodec implements Codec {

    /** The most a tile may be larger than the image it belongs to; the reader allocates whole tiles. */
    private static final long TILE_PIXELS = 1 << 22;

    private static final int OLD_JPEG = 6;
    private static final int JPEG = 7;

    @Override
    public Size size(byte[] file) throws Refusal {
        TiffDirectory directory = TiffDirectory.read(file);
        long width = directory.value(TiffDirectory.WIDTH, 0);
        long height = directory.value(TiffDirectory.HEIGHT, 0);
        long samples = directory.value(TiffDirectory.SAMPLES_PER_PIXEL, 1);
        if (samples < 1 || samples > 5) {
            throw Refusal.unsupported(samples + " samples a pixel");
        }
        if (!directory.all(TiffDirectory.BITS_PER_SAMPLE, bits -> bits >= 1 && bits <= 16)) {
            throw Refusal.unsupported("only 1 to 16 bits a sample are read");
        }
        if (!directory.all(TiffDirectory.SAMPLE_FORMAT, format -> format == 1)) {
            throw Refusal.unsupported("only unsigned integers are read");
        }
        long tileWidth = directory.value(TiffDirectory.TILE_WIDTH, 1);
        long tileHeight = directory.value(TiffDirectory.TILE_HEIGHT, 1);
        long most = TILE_PIXELS + width * height;
        if (tileWidth < 1 || tileHeight < 1 || tileWidth > most || tileHeight > most / tileWidth) {
            throw Refusal.unsupported("tiles of " + tileWidth + "×" + tileHeight);
        }
        return new Size(width, height);
    }

    /** JPEG data in a TIFF may be progressive as well, and every strip may point to the same data. */
    @Override
    public int passes(byte[] file) throws Refusal {
        TiffDirectory directory = TiffDirectory.read(file);
        boolean deep = !directory.all(TiffDirectory.BITS_PER_SAMPLE, bits -> bits <= 8);
        long compression = directory.value(TiffDirectory.COMPRESSION, 1);
        boolean jpeg = compression == OLD_JPEG || compression == JPEG;
        return (deep ? 24 : 12) + (jpeg ? JpegMarkers.scansIfProgressive(file) : 0);
    }

    @Override
    public RgbImage decode(byte[] file, Reduction reduction, Cancellation cancellation) throws Refusal, IOException {
        TiffDirectory directory = TiffDirectory.read(file);
        RgbImage image = Readers.SHARED.tiff(directory.essence(file), cancellation);
        size(file).check(image);
        return directory.orientation().apply(image);
    }
}
