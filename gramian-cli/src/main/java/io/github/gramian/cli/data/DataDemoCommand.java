package io.github.gramian.cli.data;

import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Text;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import javax.imageio.ImageIO;
import javax.imageio.stream.ImageOutputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code gramian data demo}: images to try the tool out with. */
@Command(
        name = "demo",
        description = {
            "Draws a small dataset of synthetic textures.",
            "It has one subdirectory per class, to try the other commands."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "Examples:", "  gramian data demo --out photos/"})
final class DataDemoCommand extends PrintingCommand {

    private static final int SIZE = 160;

    @Option(names = "--out", required = true, description = "Directory to create.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path out;

    @Option(
            names = "--images",
            defaultValue = "20",
            description = "Number of images per class (default: ${DEFAULT-VALUE}).")
    private int images;

    @Option(names = "--seed", defaultValue = "0", description = "Random seed (default: ${DEFAULT-VALUE}).")
    private long seed;

    /** The textures; each is a brightness in 0–1 of a place, given random numbers that are one image's own. */
    private enum Texture {
        STRIPES {
            @Override
            double at(double x, double y, double[] own) {
                double angle = Math.PI * own[0];
                double period = 8 + 10 * own[1];
                return 0.5 + 0.5 * Math.sin(2 * Math.PI * (x * Math.cos(angle) + y * Math.sin(angle)) / period);
            }
        },
        DOTS {
            @Override
            double at(double x, double y, double[] own) {
                double period = 12 + 14 * own[0];
                double dx = Math.IEEEremainder(x + 99 * own[1], period) / period;
                double dy = Math.IEEEremainder(y + 99 * own[2], period) / period;
                return dx * dx + dy * dy < 0.06 ? 1 : 0.2;
            }
        },
        WAVES {
            @Override
            double at(double x, double y, double[] own) {
                double bend = 6 * Math.sin(x / (6 + 6 * own[0]) + 9 * own[1]);
                return Math.IEEEremainder(y + bend, 14 + 8 * own[2]) > 0 ? 0.8 : 0.3;
            }
        };

        abstract double at(double x, double y, double[] own);
    }

    @Override
    public Integer call() throws IOException {
        if (images < 1) {
            throw new IllegalArgumentException("--images must be at least 1 but is " + images);
        }
        for (Texture texture : Texture.values()) {
            Path folder = out.resolve(texture.name().toLowerCase(Locale.ROOT));
            AtomicFile.makeFolder(folder);
            for (int i = 0; i < images; i++) {
                BufferedImage image =
                        draw(texture, new Random(seed + 31L * i + texture.name().hashCode()));
                write(image, folder.resolve(Text.format("%03d.png", i)));
            }
        }
        stdout().println(Texture.values().length * images + " images in " + out);
        return 0;
    }

    /** Encoded in memory, since ImageIO does not report why a file could not be written. */
    private static void write(BufferedImage image, Path file) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ImageOutputStream memory = new MemoryCacheImageOutputStream(bytes)) {
            ImageIO.write(image, "png", memory);
        }
        AtomicFile.writeBytes(file, ByteBuffer.wrap(bytes.toByteArray()));
    }

    /** The texture in two random colours, with grain. */
    private static BufferedImage draw(Texture texture, Random random) {
        double[] own = random.doubles(3).toArray();
        int[] dark = random.ints(3, 0, 120).toArray();
        int[] light = random.ints(3, 130, 230).toArray();
        BufferedImage image = new BufferedImage(SIZE, SIZE, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < SIZE; y++) {
            for (int x = 0; x < SIZE; x++) {
                double brightness = texture.at(x, y, own);
                int rgb = 0;
                for (int c = 0; c < 3; c++) {
                    rgb = rgb << 8 | (int) (dark[c] + brightness * (light[c] - dark[c]) + random.nextInt(24));
                }
                image.setRGB(x, y, rgb);
            }
        }
        return image;
    }
}
