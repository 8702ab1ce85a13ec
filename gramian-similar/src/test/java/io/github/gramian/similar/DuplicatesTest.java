package io.github.gramian.similar;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.cli.DemoRun;
import io.github.gramian.json.internal.Json;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DuplicatesTest {

    private static final int PICTURES = 40;
    private static final int COPIES = 15;

    @TempDir
    private Path folder;

    /** Overlapping ellipses and bars in random colours. */
    private static BufferedImage scene(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        BufferedImage image = new BufferedImage(200, 160, BufferedImage.TYPE_INT_RGB);
        Graphics2D pen = image.createGraphics();
        for (int i = 0; i < 40; i++) {
            pen.setColor(new Color(random.nextInt(1 << 24)));
            int x = random.nextInt(-20, 190);
            int y = random.nextInt(-20, 150);
            if (random.nextBoolean()) {
                pen.fillOval(x, y, random.nextInt(10, 70), random.nextInt(10, 70));
            } else {
                pen.fillRect(x, y, random.nextInt(5, 60), random.nextInt(5, 60));
            }
        }
        pen.dispose();
        return image;
    }

    /** In turns: encoded as JPEG, resized, cropped. */
    private static void copy(BufferedImage image, int kind, File target) throws IOException {
        BufferedImage changed =
                kind == 1 ? resized(image, 130, 104) : kind == 2 ? image.getSubimage(12, 9, 172, 140) : image;
        ImageIO.write(changed, kind == 0 ? "jpg" : "png", target);
    }

    private static BufferedImage resized(BufferedImage image, int width, int height) {
        BufferedImage small = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D pen = small.createGraphics();
        pen.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
        pen.drawImage(image, 0, 0, width, height, null);
        pen.dispose();
        return small;
    }

    @Test
    void encoded_resized_and_cropped_copies_are_found_and_nothing_else() throws IOException {
        Path photos = Files.createDirectories(folder.resolve("photos"));
        Set<String> wanted = new TreeSet<>();
        for (int i = 0; i < PICTURES; i++) {
            String name = String.format(java.util.Locale.ROOT, "%03d", i);
            BufferedImage image = scene(i);
            ImageIO.write(image, "png", photos.resolve(name + ".png").toFile());
            if (i < COPIES) {
                String copy = name + (i % 3 == 0 ? "-copy.jpg" : "-copy.png");
                copy(image, i % 3, photos.resolve(copy).toFile());
                wanted.add(name + "-copy");
            }
        }
        Path index = folder.resolve("index");
        gramian("index", photos, "--model", DemoRun.trained().run(), "--out", index, "--quiet")
                .succeeded();
        Set<String> found = new TreeSet<>();
        for (String line : gramian("similar", index, "--duplicates", "--format", "jsonl", "--quiet")
                .succeeded()
                .out()
                .lines()
                .toList()) {
            JsonNode pair = Json.parse(line);
            String copy = pair.path("file").asText();
            assertThat(pair.path("other").asText()).startsWith(copy.substring(0, 3));
            found.add(copy.substring(0, copy.indexOf('.')));
        }
        assertThat(found).isEqualTo(wanted);
    }
}
