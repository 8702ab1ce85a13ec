package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that use a trained model, on one that was trained in seconds. */
class ModelCommandsTest {

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

    private static JsonNode json(Path file) throws IOException {
        return new ObjectMapper().readTree(Files.readString(file));
    }

    @Test
    void an_evaluation_repeats_the_scores_of_the_training_and_can_be_compared_with_it() throws IOException {
        Path out = own.resolve("again");
        CommandRun evaluated = gramian("evaluate", run, "--out", out, "--quiet").succeeded();
        assertThat(evaluated.out()).startsWith("test: accuracy").contains("scores: ");
        assertThat(evaluated.err()).isEmpty();
        JsonNode there = json(run.resolve("scores.json"));
        JsonNode here = json(out.resolve("scores.json"));
        assertThat(here.get("accuracy")).isEqualTo(there.get("accuracy"));
        assertThat(here.get("passport")).isEqualTo(there.get("passport"));
        assertThat(here.at("/warnings")).isEmpty();
        CommandRun table = gramian("compare", run, out).succeeded();
        assertThat(table.out())
                .contains("rank  accuracy  over images      to best  over images")
                .contains("+0.00..+0.00")
                .contains(run.toString(), out.toString())
                .contains("1.0000")
                .hasLineCount(3);
    }

    @Test
    void incompatible_protocols_are_refused_with_the_fields_unless_allowed() throws IOException {
        Path five = own.resolve("five");
        gramian("evaluate", run, "--crops", "five", "--out", five, "--json").succeeded();
        gramian("compare", run, five).refused(2, "incompatible protocols", "evaluated on five", "--allow-incompatible");
        JsonNode allowed = gramian("compare", run, five, "--allow-incompatible", "--json")
                .succeeded()
                .json();
        assertThat(allowed.get("unlikeFields")).hasToString("[\"crops\"]");
        assertThat(allowed.at("/runs/0/rank").asInt()).isEqualTo(1);
        assertThat(gramian("compare", run, five, "--allow-incompatible").out()).contains("they differ in: crops");
        gramian("compare", run, run).refused(2, run + " is given twice; give each run once");
        gramian("compare", run, own).refused(2, "is not a run: it has neither recipe.yaml nor scores.json");
    }

    @Test
    void an_evaluation_on_training_images_states_it() {
        CommandRun all = gramian("evaluate", run, "--images", photos, "--on", "all", "--quiet")
                .succeeded();
        assertThat(all.out())
                .startsWith("all: accuracy")
                .contains("24 images", "warning: the model's training has used 18 of these 24 images");
        assertThat(gramian("evaluate", run, "--split", 2, "--quiet").out())
                .contains("warning: the model's training has used");
        assertThat(gramian("evaluate", run, "--on", "val", "--quiet").out()).contains("warning: the model's training");
        gramian("evaluate", run, "--on", "val", "--without-twins").refused(2, "--without-twins", "--on is val");
        assertThat(gramian("evaluate", run, "--without-twins", "--quiet").out()).contains("twins: left out 0 of");
        gramian("evaluate", run, "--out", run).refused(2, "is the directory of a training; choose another --out");
    }

    @Test
    void all_images_of_another_directory_are_evaluated_but_those_of_the_training() throws IOException {
        Path other = own.resolve("other");
        gramian("data", "demo", "--out", other, "--images", 4, "--seed", 99).succeeded();
        assertThat(gramian("evaluate", run, "--images", other, "--quiet")
                        .succeeded()
                        .out())
                .startsWith("new: accuracy")
                .contains(", 12 images", "left out: 0 of 12 images, because training has used them");
        for (String name : List.of("dots", "waves")) {
            for (int i = 0; i < 8; i++) {
                Files.copy(photos.resolve(name + "/00" + i + ".png"), other.resolve(name + "/known" + i + ".png"));
            }
        }
        CommandRun mixed = gramian("evaluate", run, "--images", other, "--json").succeeded();
        assertThat(mixed.json().get("images").asInt()).isEqualTo(12 + 4);
        assertThat(mixed.json().get("usedInTraining")).hasSize(12);
        assertThat(mixed.json().get("warnings")).isEmpty();
        assertThat(gramian("evaluate", run, "--images", other, "--on", "test", "--quiet")
                        .out())
                .startsWith("test: accuracy")
                .contains("evaluated: 5 of 28 images; to evaluate all that training has not used, add --on new");
    }

    @Test
    void a_note_states_how_much_of_wide_images_is_cropped() throws IOException {
        Path wide = own.resolve("wide.png");
        ImageIO.write(new BufferedImage(320, 180, BufferedImage.TYPE_INT_RGB), "png", wide.toFile());
        assertThat(gramian("predict", run, wide).succeeded().err())
                .startsWith("note: 1 of 1 image is much wider than high")
                .contains("57 % of the pixels", "--crops five", "--set views.test=whole");
        assertThat(gramian("predict", run, wide, "--crops", "five").succeeded().err())
                .doesNotContain("note:");
        assertThat(gramian("predict", run, photos.resolve("dots/000.png"))
                        .succeeded()
                        .err())
                .doesNotContain("note:");
    }

    /** The model was trained in float. */
    @Test
    void predictions_use_the_given_precision() throws IOException {
        Path photo = photos.resolve("dots/000.png");
        String own = probabilities(photo);
        assertThat(probabilities(photo, "--precision", "float")).isEqualTo(own);
        assertThat(probabilities(photo, "--precision", "bfloat16")).isNotEqualTo(own);
        assertThat(gramian("evaluate", run, "--precision", "bfloat16", "--json")
                        .succeeded()
                        .json()
                        .get("precision")
                        .asText())
                .isEqualTo("bfloat16");
        gramian("predict", run, photo, "--precision", "double").refused(2, "float or bfloat16");
    }

    private static String probabilities(Path photo, String... more) {
        List<Object> arguments = new ArrayList<>(List.of("predict", run, photo, "--format", "jsonl", "--quiet"));
        arguments.addAll(List.of(more));
        return gramian(arguments.toArray()).succeeded().out();
    }

    @Test
    void numbers_are_valid_json() throws IOException {
        CommandRun resumed = gramian("resume", run, "--json").succeeded();
        assertThat(resumed.json().get("accuracy").isNumber()).isTrue();
        assertThat(resumed.json().get("validationAccuracy").isNumber()).isTrue();
    }

    @Test
    void classes_that_the_model_does_not_know_are_refused_by_name() throws IOException {
        for (String name : List.of("dots", "moss")) {
            Files.createDirectories(own.resolve("other").resolve(name));
            Files.copy(photos.resolve("dots/000.png"), own.resolve("other/" + name + "/1.png"));
        }
        gramian("evaluate", run, "--images", own.resolve("other"), "--on", "all")
                .refused(2, "class 'moss'", "the model has dots, stripes, waves", "rename the class");
    }

    @Test
    void broken_files_are_left_out_of_an_evaluation_and_named() throws IOException {
        Files.createDirectories(own.resolve("other/dots"));
        Files.copy(photos.resolve("dots/000.png"), own.resolve("other/dots/1.png"));
        Files.writeString(own.resolve("other/dots/2.png"), "dear reader");
        JsonNode scores = gramian("evaluate", run, "--images", own.resolve("other"), "--on", "all", "--json")
                .succeeded()
                .json();
        assertThat(scores.get("images").asInt()).isEqualTo(1);
        assertThat(scores.at("/rejected").toString()).contains("dots/2.png", "not a JPEG");
    }

    @Test
    void predictions_come_in_order_with_the_most_probable_classes() {
        Path first = photos.resolve("waves/000.png");
        CommandRun text = gramian("predict", run, first, photos.resolve("dots"), "--top", 2)
                .succeeded();
        List<String> lines = text.out().lines().toList();
        assertThat(lines).hasSize(9);
        assertThat(lines.get(0)).startsWith(first + ": ").matches(".*: \\w+ [\\d.]+ %, \\w+ [\\d.]+ %");
        assertThat(lines.get(8)).startsWith(photos.resolve("dots/007.png") + ": ");
        assertThat(text.err()).contains("9 images, 0 rejected").hasLineCount(1);
    }

    @Test
    void a_rejected_file_is_a_line_and_the_exit_code_1() throws IOException {
        Path odd = own.resolve("odd, \"file\".png");
        Files.writeString(odd, "dear reader");
        Path good = photos.resolve("dots/000.png");
        CommandRun text = gramian("predict", run, odd, good, "--quiet");
        assertThat(text.exitCode()).isEqualTo(1);
        assertThat(text.out())
                .startsWith(odd + ": rejected: the content is not a JPEG")
                .hasLineCount(2);
        assertThat(text.err()).isEmpty();

        CommandRun csv = gramian("predict", run, odd, good, "--format", "csv", "--top", 9, "--quiet");
        List<String> lines = csv.out().lines().toList();
        assertThat(lines.get(0))
                .isEqualTo("file,class1,probability1,class2,probability2,class3,probability3,rejected,novelty");
        assertThat(lines.get(1))
                .startsWith("\"" + odd.toString().replace("\"", "\"\"") + "\",,,,,,,")
                .contains("not a JPEG");
        assertThat(lines.get(2)).startsWith(good + ",").matches(".*,,[\\d.]+");
        assertThat(lines.get(2).split(",", -1)).hasSize(9);

        CommandRun jsonl = gramian("predict", run, odd, good, "--format", "jsonl", "--top", 2, "--quiet");
        ObjectMapper mapper = new ObjectMapper();
        JsonNode rejected = mapper.readTree(jsonl.out().lines().toList().get(0));
        JsonNode accepted = mapper.readTree(jsonl.out().lines().toList().get(1));
        assertThat(rejected.get("rejected").asText()).contains("not a JPEG");
        assertThat(rejected.has("class")).isFalse();
        assertThat(accepted.get("class")).isEqualTo(accepted.at("/top/0/class"));
        assertThat(accepted.get("top")).hasSize(2);
        assertThat(accepted.has("rejected")).isFalse();
    }

    @Test
    void sets_of_classes_are_printed_in_every_format_only_where_they_were_asked_for() throws IOException {
        Path photo = photos.resolve("dots/000.png");
        JsonNode line = new ObjectMapper()
                .readTree(gramian("predict", run, photo, "--format", "jsonl", "--coverage", 0.5, "--quiet")
                        .succeeded()
                        .out());
        assertThat(line.at("/set/0")).isEqualTo(line.get("class"));
        assertThat(gramian("predict", run, photo, "--coverage", 0.5, "--quiet")
                        .succeeded()
                        .out())
                .contains("; one of: " + line.at("/set/0").asText());
        CommandRun all = gramian("predict", run, photo, "--format", "csv", "--coverage", 0.999)
                .succeeded();
        assertThat(all.err()).contains("needs 999 calibration images", "every set holds all classes");
        List<String> lines = all.out().lines().toList();
        assertThat(lines.get(0)).endsWith(",rejected,set,novelty");
        assertThat(lines.get(1).split(",", -1)[4].split("\\|")).containsExactlyInAnyOrder("dots", "stripes", "waves");
        gramian("predict", run, photo, "--coverage", 90)
                .refused(2, "gramian: --coverage must lie between 0 and 1, such as 0.9, but is 90");
    }

    @Test
    void images_whose_novelty_is_below_the_level_are_unknown() throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        for (String each : gramian("predict", run, photos, "--format", "jsonl", "--quiet")
                .succeeded()
                .out()
                .lines()
                .toList()) {
            lines.add(new ObjectMapper().readTree(each));
        }
        assertThat(lines)
                .allSatisfy(each -> assertThat(each.get("novelty").asDouble()).isBetween(0.0, 1.0));
        JsonNode line = Collections.min(
                lines, Comparator.comparingDouble(each -> each.get("novelty").asDouble()));
        Path photo = Path.of(line.get("file").asText());
        double above = line.get("novelty").asDouble() + 1e-6;
        assertThat(above).as("the smallest novelty").isLessThan(0.9);
        assertThat(gramian("predict", run, photo, "--unknown", above, "--quiet")
                        .succeeded()
                        .out())
                .startsWith(photo + ": unknown (novelty ");
        assertThat(gramian("predict", run, photo, "--unknown", above, "--format", "csv", "--quiet")
                        .succeeded()
                        .out())
                .contains(photo + ",unknown," + line.get("class").asText() + ",");
        assertThat(gramian("predict", run, photo, "--unknown", above, "--top", 2, "--quiet")
                        .succeeded()
                        .out())
                .contains(
                        ": unknown (novelty ",
                        ", most probable: " + line.get("class").asText() + " ");
        JsonNode unknown = new ObjectMapper()
                .readTree(gramian("predict", run, photo, "--unknown", above, "--format", "jsonl", "--quiet")
                        .succeeded()
                        .out());
        assertThat(unknown.get("class").asText()).isEqualTo("unknown");
        assertThat(unknown.has("probability")).isFalse();
        assertThat(unknown.at("/top/0/class")).isEqualTo(line.get("class"));
        CommandRun never = gramian("predict", run, photo, "--unknown", 1e-6).succeeded();
        assertThat(never.out()).startsWith(photo + ": " + line.get("class").asText());
        assertThat(never.err()).contains("a level of 0.000001 needs 1,000,000 calibration images and the model has 3");
        gramian("predict", run, photo, "--unknown", 5)
                .refused(2, "gramian: --unknown must lie between 0 and 1, such as 0.05, but is 5");
        assertThat(gramian("model", "show", run).succeeded().out()).contains("reference   ", " calibration scores");
        assertThat(gramian("model", "show", run, "--json")
                        .succeeded()
                        .json()
                        .at("/reference/images")
                        .asInt())
                .isPositive();
    }

    @Test
    void the_most_unusual_images_come_first_and_files_that_are_not_images_last() throws IOException {
        Path broken = Files.writeString(own.resolve("broken.png"), "dear reader");
        CommandRun sorted =
                gramian("predict", run, broken, photos, "--sort", "novelty", "--format", "jsonl", "--quiet");
        List<Double> novelties = new ArrayList<>();
        List<String> lines = sorted.out().lines().toList();
        for (String line : lines.subList(0, 24)) {
            novelties.add(new ObjectMapper().readTree(line).get("novelty").asDouble());
        }
        assertThat(novelties).isSorted();
        assertThat(novelties.get(0)).isLessThan(novelties.get(23));
        assertThat(lines.get(24)).contains("broken.png", "rejected");
        assertThat(gramian("predict", run, photos, "--sort", "novelty", "--quiet")
                        .out())
                .containsPattern("^.*%( \\(novelty 0\\.\\d{4}\\))\n");
    }

    @Test
    void paths_on_standard_input_give_the_predictions_of_paths_on_the_command_line() {
        Path one = photos.resolve("dots/000.png");
        Path two = photos.resolve("waves/001.png");
        String expected =
                gramian("predict", run, one, two, "--quiet").succeeded().out();
        assertThat(withInput(one + "\n\n" + two + "\n", "predict", run, "-", "--quiet")
                        .out())
                .isEqualTo(expected);
        assertThat(withInput(two + "\n", "predict", run.resolve("model.gramian"), one, "-", "--quiet")
                        .out())
                .isEqualTo(expected);
        assertThat(withInput("", "predict", run, "--quiet").succeeded().out()).isEmpty();
    }

    private static CommandRun withInput(String text, Object... arguments) {
        InputStream before = System.in;
        try {
            System.setIn(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
            return gramian(arguments);
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void invalid_requests_to_a_model_are_one_line() throws IOException {
        gramian("predict", run, own).refused(2, "contains no images");
        gramian("predict", own, photos).refused(2, "is not a model: the directory has neither model.gramian");
        gramian("predict", run, photos, "--top", 0).refused(2, "--top must be at least 1");
        gramian("predict", run, photos, "--crops", "random:3").refused(2, "is random; use centre");
        gramian("predict", own.resolve("absent.gramian"), photos).refused(2, "does not exist; check the path");
        gramian("describe", run, photos, "--out", own.resolve("x.csv")).refused(2, "must end in .npy or .f32");
        try (Stream<Path> left = Files.list(own)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void descriptors_as_npy_and_as_raw_floats_have_the_same_values() throws IOException {
        Path broken = Files.writeString(own.resolve("broken.png"), "dear reader");
        Path npy = own.resolve("all.npy");
        CommandRun described = gramian("describe", run, photos.resolve("dots"), broken, "--out", npy, "--quiet");
        assertThat(described.exitCode()).isEqualTo(1);
        assertThat(described.out()).contains("8 descriptors of 136 dimensions; 1 file rejected");
        byte[] bytes = Files.readAllBytes(npy);
        assertThat(new String(bytes, 1, 5, StandardCharsets.US_ASCII)).isEqualTo("NUMPY");
        assertThat(new String(bytes, 10, 118, StandardCharsets.US_ASCII))
                .startsWith("{'descr': '<f4', 'fortran_order': False, 'shape': (8, 136), }")
                .endsWith("\n");
        assertThat(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getShort(8))
                .isEqualTo((short) 118);
        assertThat(bytes).hasSize(128 + 8 * 136 * 4);
        List<String> names = Files.readAllLines(own.resolve("all.files.jsonl"));
        assertThat(names).hasSize(9);
        assertThat(names.get(7)).contains("\"row\":7", "007.png");
        assertThat(names.get(8)).contains("\"row\":null", "broken.png", "\"rejected\":");

        Path raw = own.resolve("raw.f32");
        gramian("describe", run, photos.resolve("dots"), "--out", raw, "--quiet")
                .succeeded();
        assertThat(Files.readAllBytes(raw)).isEqualTo(Arrays.copyOfRange(bytes, 128, bytes.length));
        assertThat(json(own.resolve("raw.json")))
                .hasToString("{\"rows\":8,\"length\":136,\"dtype\":\"float32\",\"byteOrder\":\"little\"}");
    }

    @Test
    void a_report_is_written_for_a_run_and_for_nothing_else() throws IOException {
        assertThat(gramian("report", run).succeeded().out()).contains("report.html");
        assertThat(Files.readString(run.resolve("report.html"))).contains("stripes");
        gramian("report", own).refused(2, "is not a run", "gramian train --out");
        assertThat(own.resolve("report.html")).doesNotExist();
    }

    @Test
    void model_show_prints_backbone_classes_protocol_and_provenance() throws IOException {
        CommandRun shown = gramian("model", "show", run).succeeded();
        assertThat(shown.out())
                .contains("resnet18_tiny-torchvision, in the file", "3: dots, stripes, waves", "136 dimensions")
                .contains("evaluation protocol", "contentHash: ", "provenance", "recipe:");
        JsonNode json = gramian("model", "show", run, "--json").succeeded().json();
        assertThat(json.get("classes")).hasToString("[\"dots\",\"stripes\",\"waves\"]");
        assertThat(json.at("/network/branches/0/tap").asText()).isEqualTo("res5b");
        assertThat(json.at("/passport/dataset").asText()).isEqualTo("folders");
    }

    @Test
    void a_drawing_shows_the_way_of_an_image_and_agrees_with_predict() throws Exception {
        Path photo;
        try (Stream<Path> all = Files.walk(photos)) {
            photo = all.filter(Files::isRegularFile).sorted().findFirst().orElseThrow();
        }
        Path drawing = own.resolve("drawing.svg");
        gramian("draw", run, photo, "--out", drawing).succeeded();
        String svg = Files.readString(drawing);
        DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
        assertThat(svg).contains("Feature maps", ">K<", "prefers-color-scheme:dark", "data:image/png");
        String answer = gramian("predict", run, photo, "--format", "csv", "--quiet")
                .succeeded()
                .out();
        String label = answer.lines().skip(1).findFirst().orElseThrow().split(",", -1)[1];
        assertThat(svg).contains("and the answer: " + label);
        gramian("draw", run, run.resolve("recipe.yaml"), "--out", own.resolve("no.svg"))
                .refused(2, "recipe.yaml", "is not a JPEG");
        assertThat(own.resolve("no.svg")).doesNotExist();
    }
}
