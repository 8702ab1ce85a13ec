package io.github.gramian.studio.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.cli.report.Chromium;
import io.github.gramian.dataset.layout.internal.LabelHistory;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A person who knows every photograph, with a mouse, keys, and a separate list of the labels that were given. */
final class Biologist {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Chromium browser;
    private final Path file;
    private final Function<String, String> truth;
    private final Map<String, String> given;

    /**
     * @param file the labels file
     * @param truth class of each path
     * @param given path → label, shared by all who label in this studio
     */
    Biologist(Chromium browser, Path file, Function<String, String> truth, Map<String, String> given) {
        this.browser = browser;
        this.file = file;
        this.truth = truth;
        this.given = given;
    }

    void open(String address, String view, int width) throws Exception {
        browser.open(URI.create("about:blank"), width, "light");
        browser.open(URI.create(address + "#" + view), width, "light");
        until("document.querySelector('#status').textContent.includes('a label')");
    }

    /** Goes to another view. */
    void view(String name) throws Exception {
        browser.evaluate("document.querySelectorAll('nav button').forEach(b => { b.id = 'view-'"
                + " + b.firstChild.textContent; })");
        browser.click("#view-" + name);
        until("location.hash === '#" + name + "'");
    }

    void until(String condition) throws Exception {
        until(condition, 30);
    }

    void until(String condition, int seconds) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!browser.evaluate(condition).asBoolean()) {
            assertThat(System.nanoTime())
                    .as("never: %s; complaints %s; page %s", condition, browser.complaints(), text("document.body"))
                    .isLessThan(end);
            Thread.sleep(25);
        }
    }

    /** Waits until the file has the labels of the list, and the page as many. */
    void agree() throws Exception {
        Map<String, String> stored = Map.of();
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
                !stored.equals(given) && System.nanoTime() < end; ) {
            stored = stored(file);
            Thread.sleep(25);
        }
        assertThat(stored).isEqualTo(given);
        until("document.querySelector('#status').textContent.startsWith('" + given.size() + " of')");
    }

    static Map<String, String> stored(Path file) {
        return LabelHistory.read(file).labelled().stream()
                .collect(Collectors.toMap(
                        LabelHistory.Entry::path, LabelHistory.Entry::label, (one, other) -> other, TreeMap::new));
    }

    String text(String element) throws Exception {
        return browser.evaluate("(" + element + ")?.textContent ?? ''").asText();
    }

    /** Paths of pictures, by their alternative text. */
    private List<String> paths(String selector) throws Exception {
        List<String> paths = new ArrayList<>();
        for (JsonNode path :
                browser.evaluate("[...document.querySelectorAll(" + quoted(selector) + ")].map(i => i.alt)")) {
            paths.add(path.asText());
        }
        return paths;
    }

    private static String quoted(String text) throws Exception {
        return JSON.writeValueAsString(text);
    }

    /**
     * Crosses out what is not of the first sheet's class, and names the others; returns the labelled paths.
     *
     * @param doubt whether the first photograph of the class is crossed out as well
     */
    List<String> nameSheet(boolean doubt) throws Exception {
        until("document.querySelector('[data-sheet=\"0\"]:not(.busy)') !== null");
        String suggested =
                text("document.querySelector('[data-sheet=\"0\"] .likely')").replaceAll("\\? [0-9]+\\D*$", "");
        List<String> shown = paths("[data-sheet='0'] .strip img");
        Map<String, Long> counts = shown.stream().collect(Collectors.groupingBy(truth, Collectors.counting()));
        String wanted = counts.containsKey(suggested)
                ? suggested
                : counts.entrySet().stream()
                        .max(Map.Entry.comparingByValue())
                        .orElseThrow()
                        .getKey();
        List<String> labelled = new ArrayList<>(shown);
        for (int i = 0; i < shown.size(); i++) {
            boolean wrong = !truth.apply(shown.get(i)).equals(wanted) || (doubt && i == 0);
            if (wrong && !crossed(i)) {
                browser.click("[data-sheet='0'] .strip button:nth-child(" + (i + 1) + ")");
                assertThat(crossed(i)).isTrue();
            }
            if (crossed(i)) {
                labelled.remove(shown.get(i));
            }
        }
        if (wanted.equals(suggested)) {
            browser.key("Enter");
        } else {
            browser.click("[data-sheet='0'] input");
            browser.type(wanted);
            browser.key("Enter");
        }
        labelled.forEach(path -> given.put(path, wanted));
        agree();
        until("![...document.querySelectorAll('[data-sheet=\"0\"] img')].some(i => i.alt === " + quoted(labelled.get(0))
                + ")");
        return labelled;
    }

    /** Crosses on the first sheet. */
    int crosses() throws Exception {
        return browser.evaluate("document.querySelectorAll('[data-sheet=\"0\"] .out').length")
                .asInt();
    }

    private boolean crossed(int place) throws Exception {
        return browser.evaluate("document.querySelector('[data-sheet=\"0\"] .strip button:nth-child(" + (place + 1)
                        + ")').classList.contains('out')")
                .asBoolean();
    }

    /** Takes the latest change back, which gave these photographs their labels. */
    void undo(List<String> paths) throws Exception {
        browser.key("u");
        paths.forEach(given::remove);
        agree();
    }

    /** The photograph in sight. */
    String shown() throws Exception {
        until("document.querySelector('.one img:not([hidden])')?.dataset.image !== undefined");
        return paths(".one img").get(0);
    }

    /** Waits until another photograph is in sight. */
    void leaves(String path) throws Exception {
        until("document.querySelector('.one img')?.alt !== " + quoted(path));
    }

    /** Answers for the photograph in sight, and waits for the next one; returns its path. */
    String answer(Function<String, String> answers) throws Exception {
        String path = shown();
        press(answers.apply(path));
        given.put(path, answers.apply(path));
        until("document.querySelector('.one img')?.alt !== " + quoted(path)
                + " || document.querySelector('.one img').hidden");
        return path;
    }

    /** The digit of a class, or its name in the field for a new one. */
    private void press(String label) throws Exception {
        int place = classes().indexOf(label);
        if (place >= 0 && place < 9) {
            browser.key(String.valueOf(place + 1));
        } else {
            browser.key("n");
            until("document.activeElement === document.getElementById('new')");
            browser.type(label);
            browser.key("Enter");
        }
    }

    /** In the order of their digits. */
    List<String> classes() throws Exception {
        List<String> names = new ArrayList<>();
        browser.evaluate("[...document.querySelectorAll('#classes [data-class]')].map(b => b.dataset.class)")
                .forEach(name -> names.add(name.asText()));
        return names;
    }

    /** Looks at all suspicious labels: keeps the right ones and corrects the others; returns the corrected paths. */
    List<String> check() throws Exception {
        List<String> corrected = new ArrayList<>();
        for (boolean first = true; isSuspicious(); first = false) {
            String path = suspect();
            if (first) {
                keepAndUndo(path);
            }
            String label = truth.apply(path);
            if (label.equals(given.get(path))) {
                browser.key("k");
            } else {
                corrected.add(path);
                given.put(path, label);
                if (label.equals(text("document.getElementById('suggested')"))) {
                    browser.key("Enter");
                } else {
                    press(label);
                }
            }
            until("document.querySelector('.one img')?.alt !== " + quoted(path));
            agree();
        }
        return corrected;
    }

    private boolean isSuspicious() throws Exception {
        until("document.querySelector('main .one, main .card') !== null");
        return browser.evaluate("document.querySelector('.one') !== null").asBoolean();
    }

    private String suspect() throws Exception {
        return Objects.requireNonNull(paths(".one > figure img").get(0));
    }

    /** A label that was kept is not suspicious; after an undo, it is again. */
    private void keepAndUndo(String path) throws Exception {
        String before = "document.querySelector('.one > figure img')?.alt === " + quoted(path);
        browser.key("k");
        until("!(" + before + ")");
        browser.key("u");
        until(before);
        agree();
    }
}
