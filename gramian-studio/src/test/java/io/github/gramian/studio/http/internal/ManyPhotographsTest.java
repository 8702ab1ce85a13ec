package io.github.gramian.studio.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.Needs;
import io.github.gramian.check.Tool;
import io.github.gramian.cli.report.Chromium;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.label.internal.ReducedDescriptors;
import io.github.gramian.studio.SmallStudio;
import io.github.gramian.studio.project.internal.Project;
import io.github.gramian.studio.project.internal.StudioSettings;
import io.github.gramian.tensor.Seed;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/** The page with 50,000 photographs and made-up descriptors: few elements, and quick answers. */
@Tag("long")
@Needs(Tool.CHROMIUM)
class ManyPhotographsTest {

    private static final int PHOTOGRAPHS = Integer.getInteger("gramian.studio.photographs", 50_000);
    private static final int CLASSES = 10;
    private static final int DIMENSIONS = 256;
    private static final int LABELLED = 2000;

    @TempDir
    Path folder;

    /** Many names of few files. */
    private StudioSettings photographs() throws Exception {
        SmallStudio small = SmallStudio.in(folder, 20);
        Path many = Files.createDirectories(folder.resolve("many"));
        List<Path> files;
        try (Stream<Path> all = Files.list(small.photographs())) {
            files = all.sorted().toList();
        }
        for (int i = 0; i < PHOTOGRAPHS; i++) {
            Files.createLink(
                    many.resolve(String.format(Locale.ROOT, "photo-%06d.png", i)), files.get(i % files.size()));
        }
        StudioSettings settings = small.settings();
        return new StudioSettings(
                many,
                many.resolve("labels.csv"),
                "test",
                settings.recipe(),
                settings.cache(),
                folder.resolve("many-out"));
    }

    private static ReducedDescriptors describe(Dataset dataset) {
        SplittableRandom random = new Seed(1).random();
        float[][] centres = new float[CLASSES][DIMENSIONS];
        float[][] values = new float[dataset.samples().size()][DIMENSIONS];
        for (float[] centre : centres) {
            for (int k = 0; k < DIMENSIONS; k++) {
                centre[k] = (float) random.nextGaussian();
            }
        }
        for (int i = 0; i < values.length; i++) {
            for (int k = 0; k < DIMENSIONS; k++) {
                values[i][k] = centres[i % CLASSES][k] + 2 * (float) random.nextGaussian();
            }
        }
        return new ReducedDescriptors(dataset.samples(), values);
    }

    @Test
    void the_page_stays_quick(TestReporter reporter) throws Exception {
        Project project =
                Project.open(photographs(), (dataset, recipe, cache, listener, compared) -> describe(dataset));
        try (StudioServer server = StudioServer.start(project, 0);
                Chromium browser = Chromium.start()) {
            for (int i = 0; i < 600 && !state(server).contains("\"ready\""); i++) {
                Thread.sleep(200);
            }
            for (int c = 0; c < CLASSES; c++) {
                int wanted = c;
                List<Integer> images = IntStream.range(0, LABELLED)
                        .filter(i -> i % CLASSES == wanted)
                        .boxed()
                        .toList();
                Call.post(server.address(), "api/label", "{\"images\":" + images + ",\"label\":\"class " + c + "\"}");
            }
            for (String view : List.of("Train", "Label", "Map", "Check", "Start")) {
                browser.open(URI.create("about:blank"), 1280, "light");
                browser.open(URI.create(server.address() + "#" + view), 1280, "light");
                until(browser, "document.querySelector('#status').textContent.includes('have a label')");
                double painted = browser.evaluate(
                                "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
                        .asDouble();
                double complete = browser.evaluate("performance.now()").asDouble();
                reporter.publishEntry(view, "first paint " + painted + " ms, status " + complete + " ms");
                assertThat(elements(browser)).as(view).isLessThan(2000);
            }
            reporter.publishEntry("next", suggestions(browser));
            reporter.publishEntry("scrolling", scrolling(server, browser));
            assertThat(browser.complaints()).isEmpty();
        }
    }

    /** After a label is acknowledged, the time until new suggestions are there; and of the label itself. */
    private static String suggestions(Chromium browser) throws Exception {
        String times = browser.evaluate("(async () => { const label = [], next = [];"
                        + " for (let i = 0; i < 12; i++) {"
                        + " const image = " + (LABELLED + 7) + " + 11 * i; const a = performance.now();"
                        + " await fetch('api/label', {method: 'POST', body: JSON.stringify({images: [image], label: 'class '"
                        + " + image % 10})}); const b = performance.now();"
                        + " await (await fetch('api/next?count=12')).json();"
                        + " label.push(b - a); next.push(performance.now() - b); }"
                        + " const middle = list => list.sort((a, b) => a - b)[6].toFixed(0);"
                        + " return `label ${middle(label)} ms, next ${middle(next)} ms`; })()")
                .asText();
        assertThat(times).startsWith("label ");
        return times;
    }

    /** Scrolls through the grid; the longest of the frames is what a person feels. */
    private static String scrolling(StudioServer server, Chromium browser) throws Exception {
        browser.open(URI.create("about:blank"), 1280, "light");
        browser.open(URI.create(server.address() + "#Label"), 1280, "light");
        until(browser, "document.querySelectorAll('.bars button').length > 1");
        browser.key("g");
        until(browser, "document.querySelectorAll('.tile').length > 20");
        String frames = browser.evaluate(
                        "(async () => { const pane = document.querySelector('.scroll'); let longest = 0,"
                                + " last = performance.now(); for (let i = 0; i < 60; i++) {"
                                + " pane.scrollTop += i < 30 ? 90 : 12000;"
                                + " await new Promise(requestAnimationFrame); const now = performance.now();"
                                + " longest = Math.max(longest, now - last); last = now; }"
                                + " return `longest of 60 frames ${longest.toFixed(0)} ms`; })()")
                .asText();
        assertThat(elements(browser)).isLessThan(2000);
        return frames;
    }

    private static int elements(Chromium browser) throws Exception {
        return browser.evaluate("document.querySelectorAll('*').length").asInt();
    }

    private static String state(StudioServer server) throws Exception {
        return Call.get(server.address(), "api/state").body();
    }

    private static void until(Chromium browser, String condition) throws Exception {
        for (int i = 0; i < 1200; i++) {
            if (browser.evaluate(condition).asBoolean()) {
                return;
            }
            Thread.sleep(50);
        }
        throw new AssertionError("never: " + condition + "; complaints " + browser.complaints());
    }
}
