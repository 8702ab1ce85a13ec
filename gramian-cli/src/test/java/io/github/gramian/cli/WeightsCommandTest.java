package io.github.gramian.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.internal.Plan;
import io.github.gramian.backbone.weights.internal.SourceHash;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class WeightsCommandTest {

    @TempDir
    static Path folder;

    private static Path source = Path.of("");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeAll
    static void publish_some_weights() throws IOException {
        source = folder.resolve("published.safetensors");
        try (Scope scope = Scope.open()) {
            Map<String, Tensor> weights = new TreeMap<>();
            Plan.of(new BackboneConfig(Architecture.RESNET18_TINY, Variant.TORCHVISION, 0))
                    .weights()
                    .forEach((name, shape) -> weights.put(
                            name,
                            torch.ones(shape.stream().mapToLong(Long::longValue).toArray())));
            SafetensorsWriter.write(source, weights, Map.of());
        }
    }

    @Test
    void published_weights_are_imported_and_shown() throws IOException {
        Path file = folder.resolve("imported.safetensors");
        assertThat(run("import", source, "--as", "resnet18_tiny", "--out", file, "--licence", "CC0"))
                .isZero();
        assertThat(out.toString()).contains("resnet18_tiny-torchvision", "from safetensors", SourceHash.of(source));
        assertThat(run("show", file)).isZero();
        assertThat(out.toString()).contains("Gramian weights", "licence: CC0", "res4b", "1/16");
        assertThat(out.toString()).doesNotContain("conv1.weight");
        assertThat(run("show", file, "--tensors")).isZero();
        assertThat(out.toString()).contains("conv1.weight F32[8, 3, 7, 7]");
        out.getBuffer().setLength(0);
        assertThat(run("show", file, "--json")).isZero();
        JsonNode json = new ObjectMapper().readTree(out.toString());
        assertThat(json.path("network").asText()).isEqualTo("resnet18_tiny-torchvision");
        assertThat(json.path("sha256").asText()).isEqualTo(SourceHash.of(file));
        assertThat(json.at("/metadata/source.sha256").asText()).isEqualTo(SourceHash.of(source));
        assertThat(json.at("/taps/0/name").asText()).isEqualTo("conv1");
        assertThat(json.path("tensors")).hasSize(100);
        assertThat(err.toString()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "import absent --as resnet18_tiny --out x, does not exist",
        "import SOURCE --as alexnet --out x, no architecture 'alexnet'",
        "import SOURCE --as resnet50 --out x, does not fit resnet50",
        "import SOURCE --as resnet18_tiny --variant caffe --out x, no variant 'caffe'",
        "show POM, no known format",
        "pull resnet18_tiny --out x, nothing is downloaded from anywhere else",
        "pull resnet18_tiny --out x --from ftp://x --sha256 00, must begin with http",
        "pull resnet18_tiny --out x --from http://127.0.0.1:9/ --sha256 00, 64 hexadecimal digits",
        "pull resnet18_tiny --out x --sources absent.properties, does not exist",
    })
    void wrong_input_is_one_line_with_advice_and_exit_code_two(String arguments, String reason) {
        Object[] words = java.util.Arrays.stream(arguments.split(" "))
                .map(word -> word.replace("SOURCE", source.toString()).replace("POM", "pom.xml"))
                .toArray();
        assertThat(run(words)).isEqualTo(2);
        assertThat(err.toString()).contains(reason).startsWith("gramian: ").hasLineCount(1);
        assertThat(Path.of("x")).doesNotExist();
    }

    @Test
    void without_a_subcommand_it_lists_them() {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString()).contains("import, show, pull, random");
    }

    @Test
    void weights_are_pulled_from_the_configured_address_only() throws IOException {
        Path imported = folder.resolve("ready.safetensors");
        assertThat(run("import", source, "--as", "resnet18_tiny", "--out", imported))
                .isZero();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        serve(server, "/published", source);
        serve(server, "/ready", imported);
        server.start();
        try {
            String address = "http://127.0.0.1:" + server.getAddress().getPort();
            Path file = folder.resolve("pulled/a.safetensors");
            assertThat(run(
                            "pull",
                            "resnet18_tiny",
                            "--from",
                            address + "/published",
                            "--sha256",
                            SourceHash.of(source),
                            "--out",
                            file))
                    .isZero();
            assertThat(run("show", file)).isZero();
            Path sources = Files.writeString(
                    folder.resolve("sources.properties"),
                    "resnet18_tiny.url=" + address + "/ready\nresnet18_tiny.sha256=" + SourceHash.of(imported) + "\n");
            Path second = folder.resolve("pulled/b.safetensors");
            assertThat(run("pull", "resnet18_tiny", "--sources", sources, "--out", second))
                    .isZero();
            assertThat(out.toString()).contains("stored unchanged");
            assertThat(SourceHash.of(second)).isEqualTo(SourceHash.of(imported));
            assertThat(run(
                            "pull",
                            "resnet50",
                            "--from",
                            address + "/ready",
                            "--sha256",
                            SourceHash.of(imported),
                            "--out",
                            second))
                    .isEqualTo(2);
            assertThat(err.toString()).contains("instead of resnet50");
            assertThat(run(
                            "pull",
                            "resnet18_tiny",
                            "--from",
                            address + "/ready",
                            "--sha256",
                            "0".repeat(64),
                            "--out",
                            second))
                    .isEqualTo(2);
            assertThat(err.toString()).contains("it was deleted");
            try (var files = Files.list(folder.resolve("pulled"))) {
                assertThat(files).containsExactlyInAnyOrder(file, second);
            }
        } finally {
            server.stop(0);
        }
    }

    private static void serve(HttpServer server, String path, Path file) {
        server.createContext(path, exchange -> {
            exchange.sendResponseHeaders(200, Files.size(file));
            try (var body = exchange.getResponseBody()) {
                Files.copy(file, body);
            }
        });
    }

    private int run(Object... arguments) {
        CommandLine command = Gramian.commandLine();
        command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return command.execute(Stream.concat(Stream.of("weights"), java.util.Arrays.stream(arguments))
                .map(Object::toString)
                .toArray(String[]::new));
    }
}
