package io.github.gramian.studio.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.Needs;
import io.github.gramian.check.Tool;
import io.github.gramian.cli.report.Chromium;
import io.github.gramian.dataset.layout.internal.LabelHistory;
import io.github.gramian.studio.SmallStudio;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The studio as a person uses it, in Chromium. {@code -Dgramian.screenshots=folder} keeps pictures of every view. */
@Tag("slow")
@Needs(Tool.CHROMIUM)
class StudioInBrowserTest {

    @TempDir
    Path folder;

    private SmallStudio small = new SmallStudio(Path.of(""), Path.of(""), Path.of(""));

    @Test
    void a_person_names_sheets_labels_undoes_draws_a_lasso_trains_and_predicts() throws Exception {
        small = SmallStudio.in(folder, 16);
        Files.writeString(small.photographs().resolve("z<b>.png"), "no image");
        try (StudioServer server = StudioServer.start(small.settings(), 0);
                Chromium browser = Chromium.start()) {
            browser.open(URI.create(server.address()), 1280, "light");
            nameASheet(browser);
            labelWithKeys(browser);
            lasso(browser);
            for (int width : new int[] {1280, 390}) {
                for (String view : List.of("Start", "Label", "Check", "Map", "Train", "Review")) {
                    browser.open(URI.create("about:blank"), width, "light");
                    browser.open(URI.create(server.address() + "#" + view), width, width < 600 ? "dark" : "light");
                    until(browser, "document.querySelector('#status').textContent.includes('have a label')");
                    until(
                            browser,
                            "[...document.images].filter(i => !i.hidden && i.src).slice(0, 12).every(i => i.complete)");
                    assertThat(browser.evaluate("document.documentElement.scrollWidth")
                                    .asInt())
                            .as(view + " at " + width)
                            .isLessThanOrEqualTo(width);
                    keep(browser, "studio-" + view + "-" + width + ".png");
                    assertThat(browser.complaints()).as(view).isEmpty();
                    assertThat(browser.requests()).allMatch(address -> address.startsWith(server.address()));
                }
            }
            browser.open(URI.create("about:blank"), 1280, "light");
            browser.open(URI.create(server.address() + "#Train"), 1280, "light");
            trainAndPredict(browser);
            assertThat(browser.complaints()).isEmpty();
        }
    }

    private void nameASheet(Chromium browser) throws Exception {
        until(browser, "document.querySelectorAll('[data-sheet]').length > 1");
        keep(browser, "studio-first.png");
        int labelled = labelled();
        browser.click("[data-sheet='0'] .strip button:nth-child(2)");
        until(browser, "document.querySelector('[data-sheet=\"0\"] .strip .out') !== null");
        browser.click("[data-sheet='0'] input");
        browser.type("first class");
        browser.key("Enter");
        until(browser, "document.querySelector('#classes [data-class=\"first class\"]') !== null");
        assertThat(labelled()).isGreaterThan(labelled);
        browser.click("[data-sheet='0'] input");
        browser.type("second class");
        browser.key("Enter");
        until(browser, "document.querySelector('#classes [data-class=\"second class\"]') !== null");
    }

    private void labelWithKeys(Chromium browser) throws Exception {
        browser.click("#views button:nth-child(2)");
        until(browser, "document.querySelector('.one img').dataset.image !== undefined");
        until(browser, "document.querySelectorAll('.bars button').length > 1");
        int before = labelled();
        for (String key : List.of("1", "2", "Enter")) {
            String image = text(browser, "document.querySelector('.one img').dataset.image");
            until(browser, "document.querySelectorAll('.bars button').length > 1");
            browser.key(key);
            until(browser, "document.querySelector('.one img').dataset.image !== '" + image + "'");
        }
        until(browser, "document.querySelector('#status').textContent.startsWith('" + (before + 3) + " of')");
        assertThat(labelled()).isEqualTo(before + 3);
        browser.key("u");
        until(browser, "document.querySelector('#status').textContent.startsWith('" + (before + 2) + " of')");
        assertThat(labelled()).isEqualTo(before + 2);
        until(browser, "document.querySelector('#accuracy svg') !== null");
        browser.key("?");
        until(browser, "document.getElementById('helpbox').open");
        browser.click("#helpbox button");
        until(browser, "!document.getElementById('helpbox').open");
        browser.key("g");
        until(browser, "document.querySelectorAll('.tile').length > 5");
        browser.click(".tile");
        browser.key("2");
        until(
                browser,
                "document.querySelector('.tile span').textContent === 'second class'"
                        + " || document.querySelector('.tile span').textContent === 'first class'");
        rename(browser);
    }

    private void rename(Chromium browser) throws Exception {
        int before = labelled();
        browser.evaluate("(() => { const s = document.querySelector('#view select'); s.value = '0';"
                + " s.dispatchEvent(new Event('change')); })()");
        browser.evaluate(
                "[...document.querySelectorAll('#view button')].find(b => b.textContent === 'Rename class').click()");
        until(browser, "document.activeElement === document.querySelector('#helpbox input')");
        browser.type("renamed class");
        browser.key("Enter");
        until(browser, "document.querySelector('#classes [data-class=\"renamed class\"]') !== null");
        until(browser, "document.querySelector('#classes [data-class=\"first class\"]') === null");
        assertThat(labelled()).isEqualTo(before);
        browser.key("u");
        until(browser, "document.querySelector('#classes [data-class=\"first class\"]') !== null");
    }

    private void lasso(Chromium browser) throws Exception {
        browser.click("#views button:nth-child(4)");
        until(browser, "document.getElementById('selection').textContent.startsWith('0 of')");
        double left = browser.evaluate("document.querySelector('canvas').getBoundingClientRect().left")
                .asDouble();
        double top = browser.evaluate("document.querySelector('canvas').getBoundingClientRect().top")
                .asDouble();
        double width =
                browser.evaluate("document.querySelector('canvas').clientWidth").asDouble();
        double height = browser.evaluate("document.querySelector('canvas').clientHeight")
                .asDouble();
        // The corners are round, so that a point at the edge would miss the canvas.
        browser.drag(List.of(
                new double[] {left + 9, top + 9},
                new double[] {left + width - 9, top + 9},
                new double[] {left + width - 9, top + height - 9},
                new double[] {left + 9, top + height - 9},
                new double[] {left + 9, top + 9}));
        until(browser, "!document.getElementById('selection').textContent.startsWith('0 of')");
        browser.key("Escape");
        until(browser, "document.getElementById('selection').textContent.startsWith('0 of')");
    }

    private void trainAndPredict(Chromium browser) throws Exception {
        until(browser, "document.getElementById('train') !== null && !document.getElementById('train').disabled");
        browser.click("#train");
        until(
                browser,
                "document.getElementById('line').textContent === 'Done.' ||"
                        + " document.getElementById('line').textContent.startsWith('Failed')");
        assertThat(text(browser, "document.getElementById('line').textContent")).isEqualTo("Done.");
        browser.click("#folders");
        browser.click("#predict");
        until(browser, "document.querySelector('a[href=\"predictions.csv\"]') !== null");
        until(browser, "document.getElementById('line').textContent === 'Done.'");
        Path run = folder.resolve("out/run-1");
        long open = LabelHistory.read(small.labels()).labelled().size();
        List<String> lines = Files.readAllLines(run.resolve("predictions-of-unlabelled.csv"));
        int photographs = small.photographs().toFile().list((unused, name) -> name.endsWith(".png")).length;
        assertThat(lines).hasSize((int) (photographs - open) + 1).startsWith("path,label,probability,novelty,problem");
        assertThat(run.resolve("report.html")).isNotEmptyFile();
        assertThat(run.resolve("predicted")).isDirectory();
        for (String place : List.of("#problems", "main details")) {
            browser.click(place + " summary");
            until(browser, "document.querySelector('" + place + "').open");
            assertThat(text(browser, "document.querySelector('" + place + "').innerText"))
                    .startsWith("1 photograph cannot be read\nz<b>.png: the content is not a JPEG");
        }
        keep(browser, "studio-trained.png");
    }

    private int labelled() {
        return LabelHistory.read(small.labels()).labelled().size();
    }

    private static void until(Chromium browser, String condition) throws Exception {
        for (int i = 0; i < 600; i++) {
            if (browser.evaluate(condition).asBoolean()) {
                return;
            }
            Thread.sleep(50);
        }
        throw new AssertionError("never: " + condition + "; complaints " + browser.complaints() + "; page "
                + text(browser, "document.body.innerText"));
    }

    private static String text(Chromium browser, String expression) throws Exception {
        return browser.evaluate(expression).asText();
    }

    private static void keep(Chromium browser, String name) throws Exception {
        String pictures = System.getProperty("gramian.screenshots", "");
        if (!pictures.isEmpty()) {
            Files.createDirectories(Path.of(pictures));
            browser.screenshot(Path.of(pictures, name));
        }
    }
}
