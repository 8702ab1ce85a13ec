package io.github.gramian.serve.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.Needs;
import io.github.gramian.check.Tool;
import io.github.gramian.cli.report.Chromium;
import io.github.gramian.fixture.SmallMaps;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.serve.inference.internal.ModelSpec;
import io.github.gramian.similar.ImageIndex;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page as Chromium shows it. {@code -Dgramian.screenshots=folder} keeps pictures. */
@Tag("slow")
@Needs(Tool.CHROMIUM)
class PageInBrowserTest {

    private static final int IMAGE = 4;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void a_dropped_image_shows_its_class_and_matrix_at_two_widths() throws Exception {
        String expected;
        try (BatchPredictor predictor = BatchPredictor.load(SmallModels.first())) {
            expected = predictor
                    .read(List.of(predictor.prepare(SmallModels.image(IMAGE), new ImageDecoder(ImageLimits.DEFAULT))))
                    .get(0)
                    .prediction()
                    .label();
        }
        Path index = folder.resolve("photos.index");
        Path photos = SmallModels.images().get(0).resolve("../..").normalize();
        ImageIndex.build(photos, SmallModels.first(), index);
        try (TestServer server = TestServer.start(old -> SimilarEndpointTest.with(old, index));
                Chromium browser = Chromium.start()) {
            for (int width : new int[] {1280, 390}) {
                browser.open(URI.create(server.server.address() + "/"), width, width < 600 ? "dark" : "light");
                until(browser, "document.getElementById('model').length === 2");
                browser.evaluate("document.getElementById('model').selectedIndex = 1");
                browser.evaluate(drop(SmallModels.image(IMAGE)));
                until(browser, "!document.getElementById('figure').hidden");
                assertThat(text(browser, "document.querySelector('#classes li .name span').textContent"))
                        .isEqualTo(expected);
                assertThat(browser.evaluate("document.querySelectorAll('#classes li').length")
                                .asInt())
                        .isEqualTo(3);
                assertThat(text(browser, "document.getElementById('caption').textContent"))
                        .isEqualTo("Y = WᵀKW, 4 × 4, as the classifier sees it, ordered by similarity");
                assertThat(text(browser, "document.getElementById('set').textContent"))
                        .startsWith("Set of classes: ")
                        .contains("holds the true class for 90 % of images like the training images.");
                assertThat(text(browser, "document.getElementById('novelty').textContent"))
                        .contains("ike the training images: ", " of images like them look at least as unusual");
                assertThat(browser.evaluate("document.querySelectorAll('#neighbours li').length")
                                .asInt())
                        .isEqualTo(8);
                assertThat(text(browser, "document.querySelector('#neighbours li .name span').textContent"))
                        .endsWith(".png");
                // More than one colour, and not the canvas's own transparency.
                assertThat(browser.evaluate("new Set(new Uint32Array(document.getElementById('matrix')"
                                        + ".getContext('2d').getImageData(0, 0, 4, 4).data.buffer)).size")
                                .asInt())
                        .isGreaterThan(3);
                assertThat(browser.evaluate("document.documentElement.scrollWidth")
                                .asInt())
                        .isLessThanOrEqualTo(width);
                browser.evaluate("document.getElementById('where').click()");
                until(browser, "!document.getElementById('legend').hidden");
                assertThat(text(browser, "document.getElementById('legend').textContent"))
                        .startsWith("Bright areas raised the score of " + expected);
                until(browser, "document.getElementById('photo').naturalWidth > 0");
                until(browser, "document.getElementById('p99').textContent.endsWith('ms')");
                assertThat(browser.complaints()).isEmpty();
                assertThat(browser.requests())
                        .allMatch(address -> address.startsWith(server.server.address())
                                || address.startsWith("blob:" + server.server.address()));
                keepPicture(browser, "serve-" + width + ".png");
                browser.evaluate(drop("no image".getBytes(java.nio.charset.StandardCharsets.UTF_8)));
                until(browser, "document.getElementById('message').className === 'wrong'");
                assertThat(text(browser, "document.getElementById('message').textContent"))
                        .contains("not a JPEG");
                assertThat(text(browser, "document.querySelector('#classes li').textContent"))
                        .isEqualTo("none yet");
                assertThat(browser.evaluate("['where', 'set', 'novelty', 'similar', 'figure'].every(id =>"
                                        + " document.getElementById(id).hidden)")
                                .asBoolean())
                        .isTrue();
                keepPicture(browser, "serve-error-" + width + ".png");
            }
        }
    }

    @Test
    void a_defect_has_no_percentage_but_a_map_over_the_photograph() throws Exception {
        List<ModelSpec> models = List.of(
                new ModelSpec("part", "1", SmallMaps.goodParts()), new ModelSpec("classes", "1", SmallMaps.classes()));
        try (TestServer server = TestServer.start(old -> TestServer.with(old, models));
                Chromium browser = Chromium.start()) {
            browser.open(URI.create(server.server.address() + "/"), 1280, "light");
            until(browser, "document.getElementById('model').length === 2");
            browser.evaluate(drop(SmallMaps.flawed(100)));
            until(browser, "!document.getElementById('map').hidden");
            assertThat(text(browser, "document.getElementById('classes').textContent"))
                    .isEqualTo("defect");
            assertThat(text(browser, "document.getElementById('novelty').textContent"))
                    .startsWith("Unlike the good parts: only 7.7 % of good photographs");
            assertThat(browser.evaluate(
                                    "document.getElementById('figure').hidden && document.getElementById('where').hidden")
                            .asBoolean())
                    .isTrue();
            browser.evaluate("document.getElementById('map').click()");
            until(browser, "!document.getElementById('legend').hidden");
            assertThat(text(browser, "document.getElementById('photo').src")).startsWith("data:image/png");
            browser.evaluate("document.getElementById('map').click()");
            until(browser, "document.getElementById('photo').src.startsWith('blob:')");
            browser.evaluate("document.getElementById('model').selectedIndex = 1");
            browser.evaluate(drop(SmallMaps.part(1)));
            until(browser, "!document.getElementById('map').hidden");
            browser.evaluate("document.getElementById('map').click()");
            until(browser, "!document.getElementById('areas').hidden");
            assertThat(text(browser, "document.getElementById('areas').textContent"))
                    .contains(" %");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    /** A file dropped on the page, as a person does it. */
    private static String drop(byte[] content) {
        return "(() => { const bytes = Uint8Array.from(atob('"
                + Base64.getEncoder().encodeToString(content)
                + "'), c => c.charCodeAt(0)); const carried = new DataTransfer();"
                + " carried.items.add(new File([bytes], 'photo.png', {type: 'image/png'}));"
                + " document.getElementById('target').dispatchEvent(new DragEvent('drop',"
                + " {dataTransfer: carried, bubbles: true, cancelable: true})); })()";
    }

    private static void until(Chromium browser, String condition) throws Exception {
        for (int i = 0; i < 400; i++) {
            if (browser.evaluate(condition).asBoolean()) {
                return;
            }
            Thread.sleep(50);
        }
        throw new AssertionError("never: " + condition + "; complaints " + browser.complaints());
    }

    private static String text(Chromium browser, String expression) throws Exception {
        return browser.evaluate(expression).asText();
    }

    private static void keepPicture(Chromium browser, String name) throws Exception {
        String pictures = System.getProperty("gramian.screenshots", "");
        if (!pictures.isEmpty()) {
            Files.createDirectories(Path.of(pictures));
            browser.screenshot(Path.of(pictures, name));
        }
    }
}
