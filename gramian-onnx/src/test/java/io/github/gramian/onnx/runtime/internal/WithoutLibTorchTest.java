package io.github.gramian.onnx.runtime.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.check.OwnJvm;
import io.github.gramian.eval.Prediction;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.codec.Fixtures;
import io.github.gramian.model.Predictor;
import io.github.gramian.onnx.OnnxExport;
import io.github.gramian.onnx.SmallSurface;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command line in its own process, whose class path has no jar of LibTorch's. */
@Tag("slow")
class WithoutLibTorchTest {

    /** Jars that only tests need, and those of LibTorch. */
    private static final Pattern NOT_INSTALLED = Pattern.compile("(pytorch|openblas|junit|assertj|archunit|byte-buddy|"
            + "opentest4j|apiguardian|surefire|jazzer|onnx-\\d|test-classes|.*-tests?\\b|gramian-\\w+-test).*");

    private static final int WRONG_INPUT = 2;
    private static final String END = "healthy" + System.lineSeparator();
    private static final String MAIN = "io.github.gramian.cli.Gramian";

    @TempDir
    Path folder;

    private Path model = Path.of("");
    private Path photo = Path.of("");

    @BeforeEach
    void write_model_and_image() throws IOException {
        model = new SmallGraphs(List.of(16), Normalisation.TORCHVISION, false).write(folder.resolve("model.onnx"));
        photo = Files.write(folder.resolve("photo.jpg"), Fixtures.file(Fixtures.picture(60, 40, 1), "jpg"));
    }

    private static List<String> classPath(Predicate<String> included) {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(element -> !element.isEmpty() && Files.exists(Path.of(element)))
                .filter(element -> !NOT_INSTALLED
                        .matcher(Path.of(element).getFileName().toString())
                        .matches())
                .filter(included)
                .toList();
    }

    private record End(int code, String out, String err) {}

    private End run(List<String> classPath, Object... words) throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        List<String> command = OwnJvm.program("-Xmx256m", MAIN);
        Arrays.stream(words).map(Object::toString).forEach(command::add);
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().put("CLASSPATH", String.join(File.pathSeparator, classPath));
        Process child = builder.start();
        try {
            assertThat(child.waitFor(2, TimeUnit.MINUTES)).isTrue();
        } finally {
            child.destroyForcibly();
        }
        return new End(
                child.exitValue(),
                Files.readString(out, StandardCharsets.UTF_8),
                Files.readString(err, StandardCharsets.UTF_8));
    }

    private static long bytes(List<String> classPath) throws IOException {
        long bytes = 0;
        for (String element : classPath) {
            bytes += Files.isRegularFile(Path.of(element)) ? Files.size(Path.of(element)) : 0;
        }
        return bytes;
    }

    @Test
    void an_onnx_file_predicts_and_describes() throws Exception {
        List<String> small = classPath(element -> true);
        assertThat(small).noneMatch(element -> element.contains("pytorch") || element.contains("openblas"));
        End predicted = run(small, "predict", model, photo, "--top", 3, "--format", "jsonl");
        assertThat(predicted.code()).as(predicted.err()).isZero();
        JsonNode line = new ObjectMapper().readTree(predicted.out());
        try (Predictor here = Predictor.load(model)) {
            Prediction expected = here.predict(photo);
            assertThat(line.get("class").asText()).isEqualTo(expected.label());
            assertThat((float) line.get("probability").asDouble()).isEqualTo((float) expected.confidence());
        }
        End described = run(small, "describe", model, photo, "--out", folder.resolve("rows.npy"));
        assertThat(described.code()).as(described.err()).isZero();
        assertThat(described.out()).contains("1 descriptor of 768 dimensions");
        System.out.println(String.format(
                Locale.ROOT,
                "%d jars of %.1f MB predict from ONNX files: %s",
                small.stream().filter(element -> element.endsWith(".jar")).count(),
                bytes(small) / 1e6,
                small.stream()
                        .map(element -> Path.of(element).getFileName().toString())
                        .collect(Collectors.joining(" "))));
    }

    @Test
    void a_model_of_good_parts_judges_and_maps_photographs() throws Exception {
        Path part = folder.resolve("part.onnx");
        OnnxExport.of(SmallSurface.train(folder)).to(part);
        Path shown = SmallSurface.photograph(150, 100, 50, folder.resolve("part.png"));
        List<String> small = classPath(element -> true);
        End mapped = run(small, "map", part, shown, "--format", "jsonl", "--out", folder.resolve("page.html"));
        assertThat(mapped.code()).as(mapped.err()).isZero();
        End predicted = run(small, "predict", part, shown, "--format", "jsonl");
        assertThat(predicted.code()).as(predicted.err()).isZero();
        JsonNode map = new ObjectMapper().readTree(mapped.out());
        JsonNode prediction = new ObjectMapper().readTree(predicted.out());
        try (Predictor here = Predictor.load(folder.resolve("part/model.gramian"))) {
            Prediction expected = here.predict(shown);
            assertThat(prediction.get("class").asText())
                    .isEqualTo(expected.label())
                    .isEqualTo(map.get("class").asText());
            assertThat(prediction.get("novelty").asDouble())
                    .isEqualTo(expected.novelty().orElseThrow())
                    .isEqualTo(map.get("novelty").asDouble());
        }
    }

    @Test
    void an_onnx_file_is_evaluated_and_shown() throws Exception {
        List<String> small = classPath(element -> true);
        for (String name : SmallGraphs.CLASSES) {
            Path images = Files.createDirectories(folder.resolve("labelled").resolve(name));
            Files.copy(photo, images.resolve("photo.jpg"));
        }
        End evaluated = run(
                small, "evaluate", model, "--images", folder.resolve("labelled"), "--on", "all", "--json", "--quiet");
        assertThat(evaluated.code()).as(evaluated.err()).isZero();
        JsonNode scores = new ObjectMapper().readTree(evaluated.out());
        assertThat(scores.get("images").asInt()).isEqualTo(3);
        assertThat(scores.get("accuracy").asDouble()).isEqualTo(1.0 / 3);
        assertThat(scores.path("passport").path("hardware").asText()).contains("ONNX Runtime");
        End shown = run(small, "model", "show", model, "--json");
        assertThat(shown.code()).as(shown.err()).isZero();
        JsonNode description = new ObjectMapper().readTree(shown.out());
        assertThat(description.get("classes")).hasToString("[\"moss\",\"bark\",\"sand\"]");
        assertThat(description.get("preprocessing").get(0).asText()).contains("16");
        assertThat(run(small, "model", "show", model).out()).contains("classes     3: moss, bark, sand", "provenance");
    }

    @Test
    void a_recipe_is_read_and_a_dataset_divided() throws Exception {
        List<String> small = classPath(element -> true);
        End recipe = run(small, "recipe", "show", "--set", "seed=3");
        assertThat(recipe.code()).as(recipe.err()).isZero();
        assertThat(recipe.out()).contains("seed: 3");
        for (int i = 0; i < 8; i++) {
            Path images = Files.createDirectories(folder.resolve("divided").resolve(i % 2 == 0 ? "even" : "odd"));
            Files.copy(photo, images.resolve(i + ".jpg"));
        }
        End divided = run(small, "data", "inspect", "--root", folder.resolve("divided"), "--json");
        assertThat(divided.code()).as(divided.err()).isZero();
        assertThat(new ObjectMapper().readTree(divided.out()).at("/counts/test").asInt())
                .as(divided.out())
                .isEqualTo(2);
    }

    @Test
    void the_doctor_and_the_version_know_what_is_installed() throws Exception {
        List<String> small = classPath(element -> true);
        End healthy = run(small, "doctor");
        assertThat(healthy.code()).as(healthy.err()).isZero();
        assertThat(healthy.out())
                .contains("engine     ONNX Runtime 1.", "LibTorch is not installed")
                .endsWith(END);
        assertThat(new ObjectMapper()
                        .readTree(run(small, "doctor", "--json").out())
                        .get("healthy")
                        .asBoolean())
                .isTrue();
        assertThat(run(small, "--version").out()).contains("LibTorch: not installed", "ONNX Runtime 1.");
        End nothing = run(classPath(element -> !element.contains("onnxruntime")), "doctor");
        assertThat(nothing.code()).isOne();
        assertThat(nothing.out()).contains("PROBLEM    an engine cannot be started", "not healthy");
    }

    @Test
    void what_is_missing_is_reported() throws Exception {
        Path own = Files.writeString(folder.resolve("model.gramian"), "whatever it is");
        End engine = run(classPath(element -> true), "predict", own, photo);
        assertThat(engine.code()).isEqualTo(WRONG_INPUT);
        assertThat(engine.err()).contains("model.gramian needs LibTorch", "gramian export");
        End shown = run(classPath(element -> true), "model", "show", own);
        assertThat(shown.code()).isEqualTo(WRONG_INPUT);
        End runtime = run(classPath(element -> !element.contains("onnxruntime")), "predict", model, photo);
        assertThat(runtime.code()).isEqualTo(WRONG_INPUT);
        assertThat(runtime.err()).contains("needs ONNX Runtime", "com.microsoft.onnxruntime:onnxruntime");
        End module = run(classPath(element -> !element.contains("gramian-onnx")), "predict", model, photo);
        assertThat(module.code()).isEqualTo(WRONG_INPUT);
        assertThat(module.err()).contains("needs the module gramian-onnx");
    }
}
