package io.github.gramian.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.Needs;
import io.github.gramian.check.Tool;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The report as Chromium shows it. {@code -Dgramian.screenshots=folder} keeps pictures for
 * people to look at.
 */
@Tag("slow")
@Needs(Tool.CHROMIUM)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReportInBrowserTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    Path folder;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private Chromium browser;

    @BeforeAll
    void start() throws Exception {
        browser = Chromium.start();
    }

    @AfterAll
    @SuppressWarnings("NullAway") // null if the tests were skipped
    void stop() throws Exception {
        if (browser != null) {
            browser.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "10, 1280, light",
        "10, 1280, dark",
        "10, 390, light",
        "10, 390, dark",
        "2, 1280, light",
        "2, 390, light",
        "200, 1280, dark",
        "200, 390, light"
    })
    void it_opens_without_complaints_requests_or_sideways_scrolling(int classes, int width, String scheme)
            throws Exception {
        Path run = Files.createTempDirectory(folder, "kth-tips-seed-7-");
        new FakeRun(run, FakeRun.classNames(classes), classes > 50 ? 20 : 41, 7).writeAll();
        Path report = Report.write(run);

        browser.open(report, width, scheme);

        assertThat(browser.complaints()).isEmpty();
        assertThat(browser.requests()).containsExactly(report.toUri().toString());
        assertThat(browser.evaluate("document.documentElement.scrollWidth").asInt())
                .isLessThanOrEqualTo(width);
        assertThat(browser.evaluate("document.querySelectorAll('section').length")
                        .asInt())
                .isEqualTo(11);
        keepPicture("report-" + classes + "-" + width + "-" + scheme + ".png");
    }

    @Test
    void no_name_at_the_confusion_matrix_is_cut_off() throws Exception {
        for (List<String> classes : List.of(
                List.of("Moss", "White-crowned-Sparrow"),
                List.of("a", "b", "cotton", "corduroy-and-more", "Moss-on-a-brown-brick"))) {
            Path run = Files.createTempDirectory(folder, "named-");
            new FakeRun(run, classes, 41, 7).writeAll();
            browser.open(Report.write(run), 1280, "light");
            keepPicture("confusion-" + classes.size() + ".png");
            assertThat(text("String([...document.querySelectorAll('#matrix text')].every(t => {"
                            + " const b = t.getBoundingClientRect(), s = t.ownerSVGElement.getBoundingClientRect();"
                            + " return b.right <= s.right && b.left >= s.left && b.top >= s.top; }))"))
                    .as("%s", classes)
                    .isEqualTo("true");
        }
    }

    @Test
    void its_buttons_work() throws Exception {
        new FakeRun(folder, FakeRun.classNames(10), 41, 7).writeAll();
        browser.open(Report.write(folder), 1280, "light");

        assertThat(text("click('#theme'), document.documentElement.dataset.theme"))
                .isEqualTo("dark");
        assertThat(text("click('#theme'), document.documentElement.dataset.theme"))
                .isEqualTo("light");

        List<Double> recalls = new ArrayList<>();
        text("click('[data-order=recall]')");
        browser.evaluate(
                        "[...document.querySelectorAll('#matrix text[data-row]')].sort((a, b) =>"
                                + " a.transform.baseVal[0].matrix.f - b.transform.baseVal[0].matrix.f).map(t => +t.dataset.recall)")
                .forEach(recall -> recalls.add(recall.asDouble()));
        assertThat(recalls).hasSize(10).isSorted().first().isNotEqualTo(recalls.get(9));
        assertThat(text("String([...document.querySelectorAll('#matrix g.right')].every(g => {"
                        + " const m = g.transform.baseVal[0].matrix; return Math.abs(m.e - m.f) < .01; }))"))
                .isEqualTo("true");

        List<Double> f1 = new ArrayList<>();
        text("click('.bars thead th:nth-child(5) button')");
        browser.evaluate("[...document.querySelectorAll('.bars tbody tr')].map(r => +r.cells[4].dataset.value)")
                .forEach(value -> f1.add(value.asDouble()));
        assertThat(f1).hasSize(10).isSorted();

        text("click('.legend button')");
        assertThat(text("String(document.querySelectorAll('#plane.chosen g.lit').length)"))
                .isEqualTo("1");
        text("click('#only-mistakes')");
        assertThat(text("document.querySelector('#plane').getAttribute('class')"))
                .contains("mistakes");
        text("click('#all-classes')");
        assertThat(text("document.querySelector('#plane').getAttribute('class')"))
                .isEmpty();

        browser.evaluate("const chart = document.querySelector('svg.chart'); chart.focus();"
                + " chart.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))");
        assertThat(text("document.querySelector('#tip').textContent")).startsWith("Stage 1, epoch 1");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void a_class_called_script_does_not_run() throws Exception {
        String hostile = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">";
        new FakeRun(folder, List.of(hostile, "\" onpointermove=\"document.title='taken'", "c"), 41, 7).writeAll();

        browser.open(Report.write(folder), 1280, "light");

        assertThat(text("document.title")).doesNotContain("taken");
        assertThat(text("document.querySelector('.bars tbody th').textContent")).isEqualTo(hostile);
        assertThat(text("String(document.querySelectorAll('[onerror],[onpointermove]').length)"))
                .isEqualTo("0");
        assertThat(browser.complaints()).isEmpty();
        assertThat(browser.requests()).hasSize(1);
    }

    @Test
    void it_prints_dark_on_white_without_buttons() throws Exception {
        new FakeRun(folder, FakeRun.classNames(10), 41, 7).writeAll();
        browser.open(Report.write(folder), 800, "dark");

        browser.media("print", "dark");

        assertThat(text("getComputedStyle(document.body).backgroundColor")).isEqualTo("rgb(255, 255, 255)");
        assertThat(text("getComputedStyle(document.querySelector('nav')).display"))
                .isEqualTo("none");
        keepPicture("report-print.png");
        browser.media("screen", "light");
    }

    private String text(String expression) throws Exception {
        return browser.evaluate("(() => { const click = s => document.querySelector(s).click(); return (" + expression
                        + "); })()")
                .asText();
    }

    private void keepPicture(String name) throws Exception {
        String pictures = System.getProperty("gramian.screenshots", "");
        if (!pictures.isEmpty()) {
            Files.createDirectories(Path.of(pictures));
            browser.screenshot(Path.of(pictures, name));
        }
    }
}
