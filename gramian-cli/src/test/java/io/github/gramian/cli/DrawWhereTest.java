package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code gramian draw --where}: maps of contributions as pictures and pages. */
class DrawWhereTest {

    @TempDir
    private Path own;

    private static Path photos = Path.of("");
    private static Path run = Path.of("");

    @BeforeAll
    static void train_a_model() {
        DemoRun small = DemoRun.trained();
        photos = small.photos();
        run = small.run();
    }

    private static Path photo() throws IOException {
        try (Stream<Path> all = Files.walk(photos)) {
            return all.filter(Files::isRegularFile).sorted().findFirst().orElseThrow();
        }
    }

    @Test
    void a_picture_has_the_size_of_the_view_and_colours_where_the_score_was_raised() throws IOException {
        Path png = own.resolve("where.png");
        CommandRun drawn =
                gramian("draw", run, photo(), "--where", "--out", png).succeeded();
        assertThat(drawn.out()).contains("raised the score of", "drawing: " + png);
        BufferedImage picture = ImageIO.read(png.toFile());
        assertThat(picture.getWidth()).isEqualTo(picture.getHeight()).isGreaterThan(16);
        boolean coloured = false;
        boolean grey = false;
        for (int y = 0; y < picture.getHeight(); y++) {
            for (int x = 0; x < picture.getWidth(); x++) {
                int rgb = picture.getRGB(x, y);
                boolean equal = (rgb >> 16 & 0xFF) == (rgb & 0xFF) && (rgb >> 8 & 0xFF) == (rgb & 0xFF);
                grey |= equal;
                coloured |= !equal;
            }
        }
        assertThat(coloured && grey).isTrue();
    }

    @Test
    void a_drawing_names_the_class_that_was_asked_for_and_is_valid() throws Exception {
        Path svg = own.resolve("where.svg");
        gramian("draw", run, photo(), "--where", "--class", "waves", "--out", svg)
                .succeeded();
        String text = Files.readString(svg);
        DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
        assertThat(text).contains("score of waves", "data:image/jpeg", "nothing", "the most");
    }

    @Test
    void a_directory_becomes_one_page() throws IOException {
        Path page = own.resolve("where.html");
        gramian("draw", run, requireNonNull(photo().getParent()), "--where", "--out", page)
                .succeeded();
        long images;
        try (Stream<Path> all = Files.list(photo().getParent())) {
            images = all.count();
        }
        assertThat(Files.readString(page).split("<figure>", -1)).hasSize((int) images + 1);
        assertThat(Files.readString(page)).contains("Content-Security-Policy").doesNotContain("http://", "https://");
    }

    @Test
    void what_cannot_be_drawn_is_refused_with_what_to_do() throws IOException {
        Path svg = own.resolve("no.svg");
        gramian("draw", run, photo(), "--where", "--class", "moons", "--out", svg)
                .refused(2, "no class 'moons'; it has dots, stripes, waves");
        gramian("draw", run, photos, "--where", "--out", svg).refused(2, "use --out FILE.html");
        gramian("draw", run, photo(), "--where", "--out", own.resolve("no.txt"))
                .refused(2, "must end in .png, .svg or .html");
        gramian("draw", run, photo(), "--class", "waves", "--out", svg).refused(2, "add --where");
        assertThat(svg).doesNotExist();
    }
}
