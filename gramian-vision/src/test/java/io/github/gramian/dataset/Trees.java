package io.github.gramian.dataset;

import io.github.gramian.fixture.SmallImages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** Small datasets in the official layouts, made by the tests. */
public final class Trees {

    private Trees() {}

    /** A folder of the real datasets, which is there on some machines only. */
    public static Path shared(String name) {
        return Path.of(System.getProperty("gramian.data", "../../shared/data"), name);
    }

    public static void text(Path file, List<String> lines) {
        try {
            Files.createDirectories(file.getParent());
            Files.write(file, lines);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Two classes of six images, three splits that rotate the roles. */
    public static Path dtd(Path root) {
        List<String> images = IntStream.range(0, 12)
                .mapToObj(i -> (i < 6 ? "banded/banded_" : "zigzagged/zigzagged_") + "000" + (i % 6) + ".jpg")
                .toList();
        for (String image : images) {
            SmallImages.noise(root.resolve("images").resolve(image), image.hashCode());
        }
        for (int number = 1; number <= 3; number++) {
            int shift = number;
            String[] parts = {"train", "val", "test"};
            for (int part = 0; part < 3; part++) {
                int wanted = part;
                text(
                        root.resolve("labels/" + parts[part] + number + ".txt"),
                        images.stream()
                                .filter(image -> (images.indexOf(image) + shift) % 3 == wanted)
                                .toList());
            }
        }
        return root;
    }

    public static Path fmd(Path root, int imagesPerClass) {
        for (String material : List.of("wood", "fabric", "glass")) {
            for (int i = 0; i < imagesPerClass; i++) {
                SmallImages.noise(
                        root.resolve("image/" + material + "/" + material + "_" + i + ".jpg"), material.hashCode() + i);
            }
        }
        text(root.resolve("image/fabric/Thumbs.db"), List.of("not an image"));
        return root;
    }

    public static Path kthTips2b(Path root) {
        for (String material : List.of("cork", "aluminium_foil")) {
            for (String sample : List.of("a", "b", "c", "d")) {
                for (int i = 0; i < 3; i++) {
                    SmallImages.noise(
                            root.resolve(
                                    material + "/sample_" + sample + "/22" + sample + "-scale_2_im_" + i + "_col.png"),
                            i);
                }
            }
        }
        return root;
    }

    public static Path kthTips(Path root) {
        for (String material : List.of("sponge", "cotton")) {
            for (int i = 0; i < 81; i++) {
                SmallImages.noise(
                        root.resolve(material + "/21-scale_" + (i / 9 + 1) + "_im_" + (i % 9 + 1) + "_grey.png"), i);
            }
        }
        return root;
    }

    /** Classes 4 and 9 of 200, numbered as in the full dataset. */
    public static Path cub(Path root) {
        text(root.resolve("classes.txt"), List.of("4 004.Groove_billed_Ani", "9 009.Brewer_Blackbird"));
        text(
                root.resolve("images.txt"),
                List.of(
                        "179 004.Groove_billed_Ani/one.jpg",
                        "180 004.Groove_billed_Ani/two.jpg",
                        "475 009.Brewer_Blackbird/one.jpg",
                        "476 009.Brewer_Blackbird/two.jpg",
                        "477 009.Brewer_Blackbird/three.jpg"));
        text(root.resolve("image_class_labels.txt"), List.of("179 4", "180 4", "475 9", "476 9", "477 9"));
        text(root.resolve("train_test_split.txt"), List.of("179 0", "180 1", "475 1", "476 0", "477 1"));
        for (String image : List.of(
                "004.Groove_billed_Ani/one.jpg",
                "004.Groove_billed_Ani/two.jpg",
                "009.Brewer_Blackbird/one.jpg",
                "009.Brewer_Blackbird/two.jpg",
                "009.Brewer_Blackbird/three.jpg")) {
            SmallImages.noise(root.resolve("images").resolve(image), image.hashCode());
        }
        return root;
    }

    public static Path aircraft(Path root) {
        Path data = root.resolve("data");
        for (int i = 1; i <= 6; i++) {
            SmallImages.noise(data.resolve("images/000000" + i + ".jpg"), i);
        }
        text(data.resolve("variants.txt"), List.of("Boeing 717", "707-320", "F/A-18"));
        text(data.resolve("images_variant_train.txt"), List.of("0000001 Boeing 717", "0000002 F/A-18"));
        text(data.resolve("images_variant_val.txt"), List.of("0000003 707-320"));
        text(
                data.resolve("images_variant_trainval.txt"),
                List.of("0000001 Boeing 717", "0000002 F/A-18", "0000003 707-320"));
        text(
                data.resolve("images_variant_test.txt"),
                List.of("0000004 Boeing 717", "0000005 F/A-18", "0000006 707-320"));
        text(
                data.resolve("images_manufacturer_trainval.txt"),
                List.of("0000001 Boeing", "0000002 McDonnell Douglas", "0000003 Boeing"));
        text(
                data.resolve("images_manufacturer_test.txt"),
                List.of("0000004 Boeing", "0000005 McDonnell Douglas", "0000006 Boeing"));
        return root;
    }

    public static Path classFolders(Path root, int imagesPerClass) {
        for (String name : List.of("zebra", "ant")) {
            for (int i = 0; i < imagesPerClass; i++) {
                SmallImages.noise(root.resolve(name + "/" + (i % 2) + "/" + i + ".png"), name.hashCode() + i);
            }
        }
        return root;
    }

    public static Path splitTree(Path root) {
        for (String part : List.of("train", "valid", "test")) {
            for (String name : List.of("zebra", "ant")) {
                for (int i = 0; i < 2; i++) {
                    SmallImages.noise(root.resolve(part + "/" + name + "/" + i + ".png"), (part + name).hashCode() + i);
                }
            }
        }
        return root;
    }
}
