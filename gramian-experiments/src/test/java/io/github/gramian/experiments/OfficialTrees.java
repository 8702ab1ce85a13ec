package io.github.gramian.experiments;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import javax.imageio.ImageIO;

/** The five datasets of the paper as trees of a few drawn images each, in the layouts in which they are released. */
record OfficialTrees(Path data) {

    private static final List<String> PARTS = List.of("train", "val", "test");

    /** Draws them all, in the folders that the paper's grids name. */
    static OfficialTrees in(Path data) throws IOException {
        OfficialTrees trees = new OfficialTrees(data);
        trees.dtd();
        trees.fmd();
        trees.kthTips2b();
        trees.cub();
        trees.aircraft();
        return trees;
    }

    private void dtd() throws IOException {
        List<List<String>> lists = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (String texture : List.of("banded", "zigzagged")) {
            for (int i = 0; i < 3; i++) {
                String image = texture + "/" + texture + "_000" + i + ".jpg";
                draw("dtd/images/" + image, texture, i);
                lists.get(i % 3).add(image);
            }
        }
        for (int part = 0; part < 3; part++) {
            write("dtd/labels/" + PARTS.get(part) + "1.txt", lists.get(part));
        }
    }

    private void fmd() throws IOException {
        for (String material : List.of("fabric", "wood")) {
            for (int i = 0; i < 3; i++) {
                draw("fmd/image/" + material + "/" + material + "_moderate_00" + i + "_new.jpg", material, i);
            }
        }
    }

    private void kthTips2b() throws IOException {
        for (String material : List.of("cork", "wool")) {
            for (String sample : List.of("a", "b", "c", "d")) {
                for (int i = 1; i <= 2; i++) {
                    String name = "22" + sample + "-scale_2_im_" + i + "_col.png";
                    draw("KTH-TIPS2-b/" + material + "/sample_" + sample + "/" + name, material + sample, i);
                }
            }
        }
    }

    private void cub() throws IOException {
        List<String> images = new ArrayList<>();
        List<String> labels = new ArrayList<>();
        List<String> training = new ArrayList<>();
        List<String> birds = List.of("004.Groove_billed_Ani", "009.Brewer_Blackbird");
        for (int i = 0; i < 12; i++) {
            String bird = birds.get(i % 2);
            String image = bird + "/bird_" + i + ".jpg";
            draw("CUB_200_2011/images/" + image, bird, i);
            images.add(i + 1 + " " + image);
            labels.add(i + 1 + " " + (i % 2 == 0 ? 4 : 9));
            training.add(i + 1 + " " + (i < 8 ? 1 : 0));
        }
        write("CUB_200_2011/classes.txt", List.of("4 " + birds.get(0), "9 " + birds.get(1)));
        write("CUB_200_2011/images.txt", images);
        write("CUB_200_2011/image_class_labels.txt", labels);
        write("CUB_200_2011/train_test_split.txt", training);
    }

    private void aircraft() throws IOException {
        List<List<String>> lists = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        List<String> variants = List.of("Boeing 717", "F/A-18");
        for (int i = 0; i < 12; i++) {
            String number = String.format(Locale.ROOT, "%07d", i + 1);
            draw("fgvc-aircraft-2013b/data/images/" + number + ".jpg", variants.get(i % 2), i);
            lists.get(i / 2 % 3).add(number + " " + variants.get(i % 2));
        }
        write("fgvc-aircraft-2013b/data/variants.txt", variants);
        for (int part = 0; part < 3; part++) {
            write("fgvc-aircraft-2013b/data/images_variant_" + PARTS.get(part) + ".txt", lists.get(part));
        }
    }

    /** Noise in a colour of the class. */
    private void draw(String name, String subject, int number) throws IOException {
        SplittableRandom random = new SplittableRandom(31L * subject.hashCode() + number);
        int colour = subject.hashCode() & 0x7f7f7f;
        BufferedImage image = new BufferedImage(48, 40, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                image.setRGB(x, y, colour + (random.nextInt() & 0x7f7f7f));
            }
        }
        Path file = data.resolve(name);
        Files.createDirectories(file.getParent());
        if (!ImageIO.write(image, name.endsWith(".png") ? "png" : "jpg", file.toFile())) {
            throw new IllegalStateException("no writer for " + name);
        }
    }

    private void write(String name, List<String> lines) throws IOException {
        Path file = data.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, lines);
    }
}
