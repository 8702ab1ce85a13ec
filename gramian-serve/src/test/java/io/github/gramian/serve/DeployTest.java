package io.github.gramian.serve;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.serve.http.internal.GramianServer;
import io.github.gramian.serve.http.internal.ServerSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server accepts every setting in the files of {@code deploy/} and on the page about serving. */
class DeployTest {

    private static final Path DEPLOY = Path.of("..", "deploy");
    private static final ObjectMapper JSON = new JsonMapper();

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private JsonNode deployment = JSON.createObjectNode();
    private Path config = Path.of("");

    /** The settings of the manifest, with a model that is here. */
    @BeforeEach
    void read_the_manifest() throws IOException {
        List<JsonNode> documents;
        YAMLMapper yaml = new YAMLMapper();
        try (var parser = yaml.createParser(Files.readString(DEPLOY.resolve("kubernetes.yaml")))) {
            documents =
                    yaml.readerFor(JsonNode.class).<JsonNode>readValues(parser).readAll();
        }
        assertThat(documents)
                .extracting(document -> document.path("kind").asText())
                .containsExactly("Deployment", "ConfigMap", "Service");
        deployment = documents.get(0).path("spec").path("template").path("spec");
        String settings = documents.get(1).path("data").path("serve.yaml").asText();
        config = Files.writeString(
                folder.resolve("serve.yaml"),
                settings.replace("/models/fabrics.gramian", SmallModels.first().toString()));
    }

    private JsonNode server() {
        return deployment.path("containers").path(0);
    }

    /** The words after {@code gramian}, which are only checked. */
    private void accepted(List<String> words) {
        List<Object> here = new ArrayList<>(words);
        here.replaceAll(word -> word.equals("/etc/gramian/serve.yaml") ? config : word);
        here.add("--check");
        assertThat(gramian(here.toArray()).succeeded().out()).contains("fabrics:1", "0.0.0.0:8080");
    }

    private static List<String> list(JsonNode array) {
        List<String> words = new ArrayList<>();
        array.forEach(word -> words.add(word.asText()));
        return words;
    }

    private static String line(Path file, String start) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> line.startsWith(start))
                .findFirst()
                .orElseThrow()
                .substring(start.length());
    }

    private static List<String> dockerCommand(String part) throws IOException {
        return list(JSON.readTree(line(DEPLOY.resolve("Dockerfile"), part + " ")));
    }

    @Test
    void the_container_starts_a_server() throws IOException {
        List<String> entry = dockerCommand("ENTRYPOINT");
        assertThat(entry).startsWith("gramian");
        for (List<String> arguments : List.of(dockerCommand("CMD"), list(server().path("args")))) {
            List<String> words = new ArrayList<>(entry.subList(1, entry.size()));
            words.addAll(arguments);
            accepted(words);
        }
    }

    @Test
    void the_unit_starts_what_it_has_checked() throws IOException {
        Path unit = DEPLOY.resolve("gramian.service");
        String started = line(unit, "ExecStart=/opt/gramian/bin/gramian ");
        assertThat(line(unit, "ExecStartPre=/opt/gramian/bin/gramian ")).isEqualTo(started + " --check");
        accepted(List.of(started.split(" ", -1)));
    }

    @Test
    void no_server_is_killed_while_it_still_responds() throws IOException {
        ServerSettings settings = ServeFile.read(config).settings();
        long needed = settings.features().drain().toSeconds()
                + settings.http().times().deadline().toSeconds();
        assertThat(deployment.path("terminationGracePeriodSeconds").asLong()).isGreaterThan(needed);
        assertThat(Long.parseLong(line(DEPLOY.resolve("gramian.service"), "TimeoutStopSec=")))
                .isGreaterThan(needed);
    }

    @Test
    void probes_ask_addresses_that_exist() throws IOException {
        JsonNode paths;
        try (InputStream document = Objects.requireNonNull(GramianServer.class.getResourceAsStream("openapi.json"))) {
            paths = JSON.readTree(document).path("paths");
        }
        Matcher health = Pattern.compile("(https?)://127.0.0.1:8080(/\\S+)")
                .matcher(Files.readString(DEPLOY.resolve("Dockerfile")));
        List<String> schemes = new ArrayList<>();
        List<String> asked = new ArrayList<>();
        while (health.find()) {
            schemes.add(health.group(1));
            asked.add(health.group(2));
        }
        assertThat(schemes).as("the health check works with and without TLS").containsExactly("http", "https");
        for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
            asked.add(server().path(probe).path("httpGet").path("path").asText());
        }
        assertThat(asked)
                .allSatisfy(path -> assertThat(paths.has(path)).as(path).isTrue());
    }

    @Test
    void all_settings_of_the_page_exist_and_have_these_defaults() throws IOException {
        Matcher block = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("..", "docs", "serving.md")));
        assertThat(block.find()).isTrue();
        ServerSettings shown =
                ServeFile.read(Files.writeString(config, block.group(1))).settings();
        ServerSettings defaults = new ServeFile().settings();
        assertThat(shown.address()).isEqualTo(defaults.address());
        assertThat(shown.batch()).isEqualTo(defaults.batch());
        assertThat(shown.features())
                .usingRecursiveComparison()
                .ignoringFields("index", "photographs")
                .isEqualTo(defaults.features());
        assertThat(shown.images()).isEqualTo(defaults.images());
        assertThat(shown.http())
                .usingRecursiveComparison()
                .ignoringFields("sizes.memoryBytes")
                .isEqualTo(defaults.http());
    }
}
