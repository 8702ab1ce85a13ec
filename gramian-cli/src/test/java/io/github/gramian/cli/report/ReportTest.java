package io.github.gramian.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.run.TrainingEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReportTest {

    private static final List<String> CHAPTERS = List.of(
            "curves",
            "ridge",
            "confusion",
            "classes",
            "reliability",
            "mistakes",
            "map",
            "matrices",
            "health",
            "protocol",
            "recipe");

    @TempDir
    Path folder;

    @Test
    void the_mean_class_accuracy_stands_next_to_an_accuracy_that_hides_a_class() throws IOException {
        fake(FakeRun.classNames(10)).writeAll();
        assertThat(Files.readString(Report.write(folder))).doesNotContain("mean class accuracy, in which");
        Path file = folder.resolve("scores.json");
        String changed = Files.readString(file)
                .replaceAll("\"macroRecall\":[^,]*", "\"macroRecall\":0.5")
                .replaceAll(",\"crc32c\":[^,}]*", "");
        Files.writeString(file, changed);
        assertThat(Files.readString(Report.write(folder)))
                .contains("mean class accuracy, in which every class counts the same");
    }

    @Test
    void a_complete_run_gets_every_chapter_with_a_sentence_on_how_to_read_it() throws IOException {
        fake(FakeRun.classNames(10)).writeAll();

        Path report = Report.write(folder);

        String page = Files.readString(report).replaceAll("base64,[A-Za-z0-9+/=]+", "base64,");
        assertThat(report).isEqualTo(folder.resolve("report.html"));
        for (String chapter : CHAPTERS) {
            assertThat(page)
                    .containsPattern("<section id=\"" + chapter + "\"><h2>[^<]+</h2><p class=\"reading\">[^<]+");
            assertThat(page).contains("<a href=\"#" + chapter + "\">");
        }
        assertThat(page).contains("accuracy on 410 test images", "KTH-TIPS", "lettuce_leaf", "data:image/jpeg;base64,");
        assertThat(page).contains("best so far, selected", "file not found", "through: res5a", "1 warning<");
        assertThat(page).doesNotContain("NaN", "Infinity");
    }

    @Test
    void tables_are_there_without_scripts() throws IOException {
        fake(FakeRun.classNames(10)).writeAll();

        String page = Files.readString(Report.write(folder));

        for (String chapter : List.of("curves", "ridge", "confusion", "classes", "reliability", "protocol")) {
            String section = page.substring(page.indexOf("<section id=\"" + chapter + "\">"));
            assertThat(section.substring(0, section.indexOf("</section>")).split("<tr>", -1))
                    .as(chapter)
                    .hasSizeGreaterThan(3);
        }
        assertThat(page).doesNotContain("{{#", "{{/", "{{^");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<script>alert(1)</script>",
                "\"><img src=x onerror=alert(1)>",
                "' onfocus='alert(1)",
                "</style><b>"
            })
    void names_that_contain_markup_are_escaped(String hostile) throws IOException {
        FakeRun run = fake(List.of(hostile, "b", "c", hostile + "2"));
        run.writeAll();
        Files.writeString(folder.resolve("recipe.yaml"), "name: " + hostile + "\n");
        Files.writeString(
                folder.resolve("events.jsonl"),
                "{\"event\":\"epoch\",\"epoch\":1,\"trainLoss\":1,\"health\":{\"warnings\":[\"%s\"],\"gradientNorms\":{\"%s\":1}}}"
                        .formatted(json(hostile), json(hostile)));
        Files.writeString(
                folder.resolve("predictions.jsonl"),
                "{\"id\":\"%s\",\"truth\":0,\"predicted\":3,\"confidence\":0.9}".formatted(json(hostile)));

        String page = Files.readString(Report.write(folder));

        assertThat(page).contains(Html.escape(hostile)).doesNotContain(hostile);
        assertThat(page.split("<script", -1)).as("data and program").hasSize(3);
        assertThat(page.split("</script", -1)).hasSize(3);
        assertThat(page.split("</style", -1)).hasSize(2);
    }

    @Test
    void the_page_asks_for_nothing_from_outside_and_forbids_it() throws IOException {
        fake(FakeRun.classNames(10)).writeAll();

        String page = Files.readString(Report.write(folder));

        assertThat(page)
                .contains("default-src 'none'", "script-src 'sha256-", "style-src 'sha256-")
                .doesNotContain("unsafe-inline", " style=");
        assertThat(page).doesNotContain("http://", "https://", "url(", "@import");
        Matcher addresses = Pattern.compile("(?:src|href)=\"([^\"]*)\"").matcher(page);
        assertThat(addresses.results().map(result -> result.group(1)))
                .isNotEmpty()
                .allMatch(address -> address.startsWith("#") || address.startsWith("data:"));
    }

    @Test
    void an_empty_folder_gets_a_page_that_reports_it() throws IOException {
        String page = Files.readString(Report.write(folder));

        assertThat(page).contains("This run has no scores yet").doesNotContain("<section");
    }

    @Test
    void each_single_file_shows_its_own_chapters() throws IOException {
        assertThat(chaptersOf(run -> run.writeRecipe())).containsExactly("recipe");
        assertThat(chaptersOf(run -> run.writeEvents())).containsExactly("curves", "ridge", "health");
        assertThat(chaptersOf(run -> run.writeScores()))
                .containsExactly("confusion", "classes", "reliability", "protocol");
        assertThat(chaptersOf(run -> run.writePredictions())).containsExactly("mistakes");
        assertThat(chaptersOf(run -> run.writeReportData())).containsExactly("map", "matrices");
    }

    @Test
    void suspicious_labels_of_training_images_have_a_chapter() throws IOException {
        FakeRun run = fake(FakeRun.classNames(3)).writeAll();
        run.write(
                "suspects.json",
                "{\"images\":400,\"accuracy\":0.9,\"suspects\":[{\"file\":\"0/0.png\",\"given\":\"linen\","
                        + "\"suggested\":\"<wool>\",\"score\":0.87}]}");
        assertThat(Files.readString(Report.write(folder)))
                .contains(
                        "<section id=\"labels\">",
                        "1 of 400 images with a suspicious label",
                        "&lt;wool&gt;?",
                        "is labelled linen",
                        "0.87");
        run.write("suspects.json", "{\"images\":400,\"accuracy\":0.9,\"suspects\":[]}");
        assertThat(Files.readString(Report.write(folder))).contains("Not one of 400 images has a suspicious label");
        run.write("suspects.json", "{\"images\":400}");
        assertThat(Files.readString(Report.write(folder)))
                .contains("suspects.json does not have the expected content")
                .doesNotContain("<section id=\"labels\">");
    }

    @Test
    void broken_files_are_left_out_and_named() throws IOException {
        fake(FakeRun.classNames(3)).writeAll();
        Files.writeString(folder.resolve("scores.json"), "{\"accuracy\": 0.9");
        Files.writeString(folder.resolve("events.jsonl"), """
                {"event":"epoch","stage":1,"epoch":1,"trainLoss":null,"trainAccuracy":null,"health":null}
                {"event":"epoch","stage":1,"epoch":2,"trainLoss":NaN,"validationAccuracy":0.5}
                {"event":"epo""");
        Files.write(folder.resolve("report-data.json"), new byte[] {0, 1, 2});

        String page = Files.readString(Report.write(folder));

        assertThat(page)
                .contains(
                        "scores.json is not a readable JSON file", "1 line of events.jsonl", "report-data.json is not");
        assertThat(page).contains("50.0 %", "<section id=\"curves\">").doesNotContain("NaN");
    }

    @Test
    void fields_of_the_wrong_kind_are_not_shown() throws IOException {
        Files.writeString(folder.resolve("scores.json"), """
                {"accuracy":"good","perClass":[1,null,{}],"confusion":{"classes":{"a":1},"counts":[[1,2],[3]]},"interval":7,
                 "calibration":{"bins":[{"lower":"x"}]},"passport":[1],"seconds":{"a":"b"}}""");
        Files.writeString(folder.resolve("report-data.json"), """
                {"matrices":[{"values":[["x",null],[]],"spectrum":[0,-1,"y"]},3],"map":{"points":[{"x":1},{"truth":0,"x":1,"y":2}]}}""");

        String page = Files.readString(Report.write(folder));

        assertThat(page).contains("no scores yet").doesNotContain("NaN", "<section id=\"confusion\">");
    }

    @Test
    void an_image_outside_of_the_folder_of_images_is_not_taken_in() throws IOException {
        FakeRun run = fake(FakeRun.classNames(2)).writeAll();
        Path outside = folder.resolve("images").resolve("0").resolve("0.png");
        Files.copy(outside, folder.resolve("secret.png"));
        run.writeScores();
        Files.delete(folder.resolve("report-data.json"));
        for (String id : List.of("../secret.png", folder.resolve("secret.png").toString(), "a\\u0000b")) {
            Files.writeString(
                    folder.resolve("predictions.jsonl"),
                    "{\"id\":\"%s\",\"truth\":0,\"predicted\":1,\"confidence\":0.9}".formatted(id));

            assertThat(Files.readString(Report.write(folder)))
                    .contains("file not found")
                    .doesNotContain("data:image/jpeg");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 20})
    void few_classes_fit_on_a_page_of_sensible_size(int classes) throws IOException {
        assertPageOfSensibleSize(classes);
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(ints = {200, 500})
    void many_classes_fit_on_a_page_of_sensible_size(int classes) throws IOException {
        assertPageOfSensibleSize(classes);
    }

    private void assertPageOfSensibleSize(int classes) throws IOException {
        fake(FakeRun.classNames(classes)).writeAll();

        Path report = Report.write(folder);

        assertThat(Files.size(report)).isLessThan(8L << 20);
        assertThat(Files.readString(report)).contains("<section id=\"confusion\">", "Most confused");
    }

    @Test
    void a_name_of_a_million_letters_does_not_multiply() throws IOException {
        String name = "x".repeat(1_000_000);
        new FakeRun(folder, List.of(name, "b"), 41, 3).writeAll();
        StringBuilder events = new StringBuilder();
        for (int i = 0; i < 100; i++) {
            events.append("{\"event\":\"epoch\",\"epoch\":" + i + ",\"health\":{\"gradientNorms\":{\"")
                    .append(i == 0 ? name : "y")
                    .append("\":1},\"warnings\":[\"" + (i == 0 ? name : "") + "\"]}}\n");
        }
        Files.writeString(folder.resolve("events.jsonl"), events);

        assertThat(Files.size(Report.write(folder))).isLessThan(1L << 20);
    }

    @Test
    void numbers_are_written_with_points_in_every_country() throws IOException {
        Locale before = Locale.getDefault();
        try {
            fake(FakeRun.classNames(4)).writeAll();
            Locale.setDefault(Locale.ROOT);
            String reference = Files.readString(Report.write(folder));
            Locale.setDefault(Locale.GERMANY);

            assertThat(Files.readString(Report.write(folder))).isEqualTo(reference);
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void an_epoch_that_was_run_again_after_a_restart_counts_once() throws IOException {
        Files.writeString(folder.resolve("events.jsonl"), """
                {"event":"epoch","stage":1,"epoch":1,"trainLoss":9,"validationAccuracy":0.125}
                {"event":"epoch","stage":1,"epoch":1,"trainLoss":1,"validationAccuracy":0.25}
                """);

        assertThat(Files.readString(Report.write(folder))).contains("25.0 %").doesNotContain("12.5 %");
    }

    @Test
    void retraining_on_all_images_follows_the_stages_and_the_page_states_which_model_was_selected() throws IOException {
        FakeRun run = fake(FakeRun.classNames(5));
        run.writeAll();
        Path file = folder.resolve("scores.json");
        String scores = Files.readString(file);
        String found = new TrainingEvent.FineTuning(0.73, 0.724, 1797, false).sentence();
        Files.writeString(
                file,
                scores.replaceFirst(
                        "\\{",
                        "{\"fineTuning\":{\"sentence\":\"" + found
                                + "\"},\"final\":{\"sentence\":\"trained once more\"},"));
        Files.writeString(folder.resolve("events.jsonl"), """
                {"event":"epoch","stage":1,"epoch":1,"trainLoss":1,"validationAccuracy":0.25}
                {"event":"epoch","stage":2,"epoch":1,"trainLoss":1,"validationAccuracy":0.25}
                {"event":"epoch","stage":1,"all":true,"epoch":1,"trainLoss":1}
                """);

        String page = Files.readString(Report.write(folder));

        assertThat(page)
                .contains(
                        "fine-tuning did not help: 73.0 → 72.4 % of 1,797 validation images; the frozen model is used")
                .contains("Final retraining", "trained once more", "<td>1, all images</td>");
        assertThat(page.indexOf("<td>2</td>")).isLessThan(page.indexOf("<td>1, all images</td>"));
    }

    @Test
    void a_report_that_cannot_be_written_leaves_the_old_one() throws IOException {
        Path target = folder.resolve("report.html");
        Files.createDirectory(target);
        Files.writeString(target.resolve("mine"), "untouched");

        assertThatThrownBy(() -> Report.write(folder)).isInstanceOf(IOException.class);

        assertThat(target.resolve("mine")).hasContent("untouched");
        try (var files = Files.list(folder)) {
            assertThat(files).hasSize(1);
        }
    }

    private interface Part {
        void writeTo(FakeRun run) throws IOException;
    }

    private List<String> chaptersOf(Part part) throws IOException {
        Path own = Files.createTempDirectory(folder, "run");
        part.writeTo(new FakeRun(own, FakeRun.classNames(5), 20, 1));
        Matcher chapters = Pattern.compile("<section id=\"(\\w+)\"")
                .matcher(Files.readString(Report.write(own), StandardCharsets.UTF_8));
        return chapters.results().map(result -> result.group(1)).toList();
    }

    private FakeRun fake(List<String> classes) {
        return new FakeRun(folder, classes, 41, 3);
    }

    private static String json(String text) {
        return text.replace("\"", "\\\"");
    }
}
