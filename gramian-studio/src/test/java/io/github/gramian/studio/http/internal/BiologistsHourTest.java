package io.github.gramian.studio.http.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.check.Needs;
import io.github.gramian.check.Tool;
import io.github.gramian.cli.report.Chromium;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.label.internal.ReducedDescriptors;
import io.github.gramian.studio.SmallStudio;
import io.github.gramian.studio.project.internal.Project;
import io.github.gramian.studio.project.internal.Project.Describer;
import io.github.gramian.studio.project.internal.StudioSettings;
import io.github.gramian.tensor.Seed;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/**
 * A person labels photographs, errs, takes back, checks, trains, and reviews the predictions, with a restart and a second page
 * in between. In the end, the labels file is the person's own list. {@code -Dgramian.screenshots=folder} keeps pictures.
 */
@Needs(Tool.CHROMIUM)
class BiologistsHourTest {

    private static final String HOSTILE = "<img src=x onerror=document.title='hacked'>";
    private static final int MISTAKES = 2;

    @TempDir
    Path folder;

    private final Map<String, String> given = new TreeMap<>();
    private double accuracy;

    /** Drawn photographs with hostile names, made-up descriptors, and a tiny network. */
    @Test
    void labels_at_the_end_are_those_that_were_given() throws Exception {
        SmallStudio small = SmallStudio.in(folder, 9);
        Path photographs = small.photographs();
        List<String> names;
        try (Stream<Path> files = Files.list(photographs)) {
            names = files.map(file -> file.getFileName().toString()).sorted().toList();
        }
        String first = names.get(0).split("-", 2)[0];
        rename(photographs, names.get(0), first + "-" + HOSTILE + ".png");
        rename(photographs, names.get(1), first + "-a:1.png");
        rename(photographs, names.get(2), "a:" + first + ".png");
        Function<String, String> truth = path -> path.contains(first) ? HOSTILE : path.split("-", 2)[0];
        hour(small.settings(), (dataset, recipe, cache, listener, compared) -> described(dataset, truth), truth, 22);
        given.forEach((path, label) -> assertThat(label).as(path).isEqualTo(truth.apply(path)));
    }

    /** Four birds with ResNet-50: {@code -Dgramian.backbone=FILE}, as the page on contributing shows. */
    @Test
    @Tag("long")
    void of_four_birds_200_photographs_are_labelled_and_90_percent_of_the_others_predicted(TestReporter reporter)
            throws Exception {
        Path birds = Path.of(System.getProperty("gramian.data", "../../shared/data"), "cub20", "images");
        Path weights = Path.of(System.getProperty("gramian.backbone", "none"));
        assumeTrue(Files.isDirectory(birds) && Files.isRegularFile(weights), "birds and -Dgramian.backbone are needed");
        Path photographs = folder.resolve("photos");
        for (String bird :
                List.of("014.Indigo_Bunting", "015.Lazuli_Bunting", "016.Painted_Bunting", "019.Gray_Catbird")) {
            try (Stream<Path> files = Files.list(birds.resolve(bird))) {
                for (Path file : files.toList()) {
                    Files.createDirectories(photographs.resolve(bird));
                    Files.copy(file, photographs.resolve(bird).resolve(file.getFileName()));
                }
            }
        }
        StudioSettings settings = new StudioSettings(
                photographs,
                photographs.resolve("labels.csv"),
                "test",
                List.of("backbone.weights='" + weights.toAbsolutePath() + "'"),
                folder.resolve("cache"),
                folder.resolve("out"));
        hour(
                settings,
                ReducedDescriptors::of,
                path -> path.substring(4, path.indexOf('/')).replace('_', ' '),
                200);
        reporter.publishEntry("accuracy on the rest", String.valueOf(accuracy));
        assertThat(accuracy).isGreaterThanOrEqualTo(0.9);
    }

    private static void rename(Path photographs, String from, String to) throws Exception {
        Files.move(photographs.resolve(from), photographs.resolve(to));
    }

    private static ReducedDescriptors described(Dataset dataset, Function<String, String> truth) {
        SplittableRandom random = new Seed(1).random();
        List<String> classes = dataset.samples().stream()
                .map(sample -> truth.apply(dataset.file(sample).getFileName().toString()))
                .toList();
        List<String> different = classes.stream().distinct().toList();
        float[][] values = new float[classes.size()][32];
        for (int i = 0; i < values.length; i++) {
            for (int k = 0; k < 32; k++) {
                double centre = k == different.indexOf(classes.get(i)) ? 4 : 0;
                values[i][k] = (float) (centre + 0.5 * random.nextGaussian());
            }
        }
        return new ReducedDescriptors(dataset.samples(), values);
    }

    private void hour(StudioSettings settings, Describer describer, Function<String, String> truth, int labels)
            throws Exception {
        try (Chromium browser = Chromium.start()) {
            Biologist biologist = new Biologist(browser, settings.labels(), truth, given);
            List<String> classes;
            String last;
            try (StudioServer server = StudioServer.start(Project.open(settings, describer), 0)) {
                biologist.open(server.address(), "Start", 1280);
                sheets(biologist);
                biologist.view("Label");
                singles(biologist, truth, labels / 2);
                try (Chromium tab = Chromium.start()) {
                    Biologist other = new Biologist(tab, settings.labels(), truth, given);
                    tabs(biologist, other, server.address(), truth);
                }
                singles(biologist, truth, labels);
                biologist.view("Check");
                keep(browser, "check");
                biologist.check();
                biologist.view("Label");
                last = biologist.answer(truth);
                biologist.agree();
                classes = biologist.classes();
                harmless(browser);
            }
            try (StudioServer server = StudioServer.start(Project.open(settings, describer), 0)) {
                biologist.open(server.address(), "Label", 1280);
                biologist.until("document.querySelector('#accuracy polyline') !== null", 600);
                assertThat(browser.evaluate("document.querySelector('#accuracy polyline').points.length")
                                .asInt())
                        .as("the curve is there again")
                        .isGreaterThan(3);
                assertThat(biologist.classes()).as("digits of classes").isEqualTo(classes);
                biologist.undo(List.of(last));
                assertThat(biologist.answer(truth))
                        .as("an undo shows the photograph again")
                        .isEqualTo(last);
                biologist.agree();
                trainAndPredict(biologist, browser, server.address());
            }
            try (StudioServer server = StudioServer.start(Project.open(settings, describer), 0)) {
                review(biologist, browser, server, truth);
            }
        }
        assertThat(Biologist.stored(settings.labels())).isEqualTo(given);
    }

    private static void sheets(Biologist biologist) throws Exception {
        biologist.until("document.querySelector('[data-sheet=\"1\"]') !== null", 600);
        List<String> labelled = biologist.nameSheet(true);
        biologist.undo(labelled);
        assertThat(biologist.crosses()).as("an undo brings the crosses back").isPositive();
        assertThat(biologist.nameSheet(false)).isEqualTo(labelled);
        biologist.nameSheet(false);
    }

    /** Each page follows the other, also one that takes the other's label back. */
    private static void tabs(Biologist one, Biologist other, String address, Function<String, String> truth)
            throws Exception {
        String seen = "";
        for (int tries = 0; tries < 20 && !one.shown().equals(seen); tries++) { // until no fit comes between the two
            one.open(address, "Label", 1280);
            other.open(address, "Label", 1280);
            seen = other.shown();
        }
        String first = one.answer(truth);
        assertThat(seen).as("both pages showed it").isEqualTo(first);
        other.leaves(first);
        other.agree();
        String second = other.answer(truth);
        one.agree();
        one.undo(List.of(second));
        other.agree();
    }

    /** With some mistakes. */
    private void singles(Biologist biologist, Function<String, String> truth, int labels) throws Exception {
        for (int mistakes = 0; given.size() < labels; ) {
            String path = biologist.answer(truth);
            if (mistakes < MISTAKES && biologist.classes().size() > 2) {
                mistakes++;
                biologist.agree();
                biologist.undo(List.of(path));
                String wrong = biologist.classes().stream()
                        .filter(name -> !name.equals(truth.apply(path)))
                        .findFirst()
                        .orElseThrow();
                assertThat(biologist.answer(one -> wrong)).isEqualTo(path);
            }
        }
        biologist.agree();
    }

    private void trainAndPredict(Biologist biologist, Chromium browser, String address) throws Exception {
        biologist.view("Review");
        biologist.until("document.querySelector('main').textContent.includes('There are no predictions yet')");
        biologist.view("Train");
        biologist.until("!document.getElementById('train').disabled");
        browser.click("#train");
        biologist.until("/^(Done|Failed)/.test(document.getElementById('line').textContent)", 1800);
        assertThat(biologist.text("document.getElementById('line')")).isEqualTo("Done.");
        browser.click("#predict");
        biologist.until("document.getElementById('review') !== null", 600);
        biologist.until("document.getElementById('line').textContent === 'Done.'");
        keep(browser, "train");
        harmless(browser);
        browser.open(URI.create(address + "report.html"), 1280, "light");
        harmless(browser);
    }

    private void review(Biologist biologist, Chromium browser, StudioServer server, Function<String, String> truth)
            throws Exception {
        JsonNode paths = Call.get(server.address(), "api/photographs").json().path("paths");
        JsonNode rows = Call.get(server.address(), "api/predictions").json();
        int correct = 0;
        for (JsonNode row : rows) {
            String path = paths.get(row.path("image").asInt()).asText();
            correct += truth.apply(path).equals(row.path("label").asText()) ? 1 : 0;
        }
        accuracy = correct / (double) rows.size();
        assertThat(rows.size() + given.size()).isEqualTo(paths.size());
        for (int width : new int[] {390, 1280}) {
            biologist.open(server.address(), "Review", width);
            biologist.until("document.querySelector('[data-sheet=\"0\"]') !== null");
            assertThat(browser.evaluate("document.documentElement.scrollWidth").asInt())
                    .isLessThanOrEqualTo(width);
            keep(browser, "review-" + width);
        }
        List<String> labelled = biologist.nameSheet(false);
        biologist.undo(labelled);
        while (given.size() < paths.size()) {
            biologist.nameSheet(false);
        }
        biologist.until("document.querySelector('main').textContent.includes('No predictions are left')");
        harmless(browser);
    }

    private static void harmless(Chromium browser) throws Exception {
        assertThat(browser.complaints()).isEmpty();
        assertThat(browser.evaluate("document.title === 'hacked' || document.querySelector('[src=x]') !== null")
                        .asBoolean())
                .isFalse();
    }

    private static void keep(Chromium browser, String name) throws Exception {
        String pictures = System.getProperty("gramian.screenshots", "");
        if (!pictures.isEmpty()) {
            Files.createDirectories(Path.of(pictures));
            browser.screenshot(Path.of(pictures, "hour-" + name + ".png"));
        }
    }
}
