package io.github.gramian.bench.quality;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.tensor.Seed;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import javax.imageio.ImageIO;

/**
 * Several photographs of each object, made by cropping: every image of a dataset becomes some crops at random places, and a manifest
 * names them as a group.
 *
 * @param perImage number of crops per image
 * @param side of a crop, as a share of the image's sides
 */
public record Crops(int perImage, double side) {

    /**
     * Writes crops and a manifest.
     *
     * @param perClass number of images per class, drawn at random
     * @return the manifest
     */
    public Path write(Dataset dataset, int perClass, Path folder, Seed seed) throws IOException {
        List<String> lines = new ArrayList<>(List.of("path,label,group"));
        for (int label = 0; label < dataset.classes().size(); label++) {
            int of = label;
            List<Sample> images = dataset.samples().stream()
                    .filter(sample -> sample.label() == of)
                    .sorted(Comparator.comparing(Sample::path))
                    .toList();
            int[] order = RepairBenchmark.shuffled(
                    images.size(), seed.child("images").child(label).random());
            for (int i = 0; i < Math.min(perClass, images.size()); i++) {
                String object = String.format(Locale.ROOT, "%d-%02d", label, i);
                SplittableRandom random = seed.child(object).random();
                Path file = dataset.file(images.get(order[i]));
                if (!(ImageDecoder.forLocalFiles().decode(file) instanceof Decoded.Picture picture)) {
                    continue;
                }
                for (int crop = 0; crop < perImage; crop++) {
                    String name = object + "-" + crop + ".png";
                    ImageIO.write(
                            cropped(picture.image(), random),
                            "png",
                            folder.resolve(name).toFile());
                    lines.add(name + ",class " + label + "," + object);
                }
            }
        }
        return Files.write(folder.resolve("manifest.csv"), lines);
    }

    private BufferedImage cropped(RgbImage image, SplittableRandom random) {
        int width = (int) Math.max(1, side * image.width());
        int height = (int) Math.max(1, side * image.height());
        int x = random.nextInt(image.width() - width + 1);
        int y = random.nextInt(image.height() - height + 1);
        RgbImage part = image.cut(new RgbImage.Window(x, y, width, height, false));
        BufferedImage picture = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        for (int row = 0; row < height; row++) {
            for (int column = 0; column < width; column++) {
                picture.setRGB(
                        column,
                        row,
                        part.sample(column, row, 0) << 16
                                | part.sample(column, row, 1) << 8
                                | part.sample(column, row, 2));
            }
        }
        return picture;
    }
}
