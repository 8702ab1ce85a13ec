package io.github.gramian.studio.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.dataset.layout.internal.LabelHistory;
import io.github.gramian.studio.SmallStudio;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The studio over HTTP, as a page and as an attacker call it. */
class StudioServerTest {

    @TempDir
    static Path folder;

    private static SmallStudio small = new SmallStudio(Path.of(""), Path.of(""), Path.of(""));
    private static StudioServer server;
    private static Map<String, Long> before = Map.of();

    @BeforeAll
    static void start() throws Exception {
        small = SmallStudio.in(folder, 5);
        Files.writeString(small.photographs().resolve("broken.png"), "no image");
        before = contents();
        server = StudioServer.start(small.settings(), 0);
        for (int i = 0;
                i < 1200 && !Call.get(server.address(), "api/state").body().contains("\"ready\"");
                i++) {
            assertThat(Call.get(server.address(), "api/state").body()).doesNotContain("\"failed\"");
            Thread.sleep(50);
        }
    }

    @AfterAll
    static void end() throws IOException {
        server.close();
        Map<String, Long> after = contents();
        after.keySet().removeIf(name -> name.contains("labels.csv"));
        assertThat(after).as("photographs stay as they are").isEqualTo(before);
    }

    private static Map<String, Long> contents() throws IOException {
        Map<String, Long> sizes = new TreeMap<>();
        try (Stream<Path> files = Files.list(small.photographs())) {
            for (Path file : files.toList()) {
                sizes.put(file.getFileName().toString(), Files.size(file));
            }
        }
        return sizes;
    }

    private static JsonNode label(String label, int... images) throws IOException {
        String list = Arrays.toString(images);
        Call call = Call.post(server.address(), "api/label", "{\"images\":" + list + ",\"label\":\"" + label + "\"}");
        assertThat(call.status()).as(call.body()).isEqualTo(200);
        return call.json();
    }

    private static String storedLabel(String path) {
        return Objects.requireNonNull(LabelHistory.read(small.labels()).newest().get(path))
                .label();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/api/state", "/wrong/api/state", "/x/", "//api/state", "/%2e%2e/api/state"})
    void without_the_token_everything_is_refused(String path) throws IOException {
        assertThat(Call.get(server.address(), path).status()).isIn(400, 403);
        assertThat(Call.post(server.address(), path, "{}").status()).isIn(400, 403);
    }

    @Test
    void a_token_that_differs_in_one_character_is_refused() throws IOException {
        String path = URI.create(server.address()).getPath();
        char last = path.charAt(path.length() - 2);
        String other = path.substring(0, path.length() - 2) + (last == 'A' ? 'B' : 'A') + "/api/state";
        assertThat(Call.get(server.address(), other).status()).isEqualTo(403);
        assertThat(Call.get(server.address(), path + "api/state").status()).isEqualTo(200);
    }

    @Test
    void another_origin_and_another_host_are_refused_even_with_the_token() throws IOException {
        int port = URI.create(server.address()).getPort();
        String body = "{\"images\":[0],\"label\":\"stolen\"}";
        for (String header : List.of(
                "Origin: http://example.com",
                "Origin: null",
                "Origin: http://127.0.0.1:" + (port + 1),
                "Origin: https://127.0.0.1:" + port,
                "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Site: same-site",
                "Host: example.com",
                "Host: example.com:" + port,
                "Host: 127.0.0.1:1",
                "Host: 127.0.0.1.example.com:" + port)) {
            assertThat(Call.post(server.address(), "api/label", body, header).status())
                    .as(header)
                    .isIn(400, 403);
            assertThat(Call.get(server.address(), "api/state", header).status())
                    .as(header)
                    .isIn(400, 403);
        }
        assertThat(Call.get(server.address(), "api/state", "Origin: http://127.0.0.1:" + port)
                        .status())
                .isEqualTo(200);
        assertThat(small.labels()).content().doesNotContain("stolen");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "photograph/../../drawn",
                "photograph/%2e%2e/%2e%2e/etc/passwd",
                "thumbnail/..%2f..%2fetc%2fpasswd",
                "photograph//etc/passwd",
                "photograph/-1",
                "photograph/99999",
                "photograph/999999999999",
                "PageHandler.class",
                "../PageHandler.class",
                "api/unknown"
            })
    void only_photographs_of_the_directory_can_be_named(String path) throws IOException {
        assertThat(Call.get(server.address(), path).status()).isIn(400, 403, 404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "{\"images\":[0]}",
                "{\"images\":[-1],\"label\":\"x\"}",
                "{\"images\":[100000],\"label\":\"x\"}",
                "{\"images\":[0.5],\"label\":\"x\"}",
                "{\"images\":\"0\",\"label\":\"x\"}",
                "{\"images\":[0],\"label\":7}",
                "{\"images\":[0],\"label\":\"=cmd()\"}",
                "{\"images\":[0],\"label\":\"a\\nb\"}"
            })
    void a_wrong_label_request_is_refused_and_changes_nothing(String body) throws IOException {
        String old = Files.exists(small.labels()) ? Files.readString(small.labels()) : "";
        assertThat(Call.post(server.address(), "api/label", body).status()).isEqualTo(400);
        assertThat(small.labels()).content().isEqualTo(old);
    }

    @Test
    void labels_are_on_the_disk_when_they_are_acknowledged_and_undo_adds_lines() throws IOException {
        JsonNode state = label("dots", 0, 1).path("state");
        assertThat(state.path("canUndo").asBoolean()).isTrue();
        String path = Call.get(server.address(), "api/photographs")
                .json()
                .path("paths")
                .get(0)
                .asText();
        assertThat(storedLabel(path)).isEqualTo("dots");
        label("stripes", 0);
        assertThat(storedLabel(path)).isEqualTo("stripes");
        int lines = Files.readAllLines(small.labels()).size();
        Call.post(server.address(), "api/undo", "");
        assertThat(storedLabel(path)).isEqualTo("dots");
        Call.post(server.address(), "api/undo", "");
        assertThat(storedLabel(path)).isEmpty();
        assertThat(Files.readAllLines(small.labels())).hasSize(lines + 6);
    }

    @Test
    void unreadable_photographs_are_listed_with_the_reason_and_have_no_thumbnail() throws IOException {
        JsonNode state = Call.get(server.address(), "api/state").json();
        assertThat(state.path("unreadable").asInt()).isEqualTo(1);
        assertThat(state.path("compared").asDouble()).isEqualTo(1);
        assertThat(state.path("problems")).hasSize(1);
        assertThat(state.path("problems").get(0).asText())
                .startsWith("broken.png: ")
                .contains("is not a JPEG");
        JsonNode paths = Call.get(server.address(), "api/photographs").json().path("paths");
        for (int i = 0; i < paths.size(); i++) {
            Call picture = Call.get(server.address(), "thumbnail/" + i);
            assertThat(picture.status()).isEqualTo(paths.get(i).asText().equals("broken.png") ? 404 : 200);
        }
        assertThat(Call.get(server.address(), "photograph/1").head()).contains("image/jpeg");
    }

    @Test
    void suggestions_clusters_suspects_the_map_and_the_accuracy_are_answered() throws IOException {
        assertThat(Call.get(server.address(), "api/next?count=3").json()).hasSize(3);
        JsonNode clusters = Call.get(server.address(), "api/clusters?k=3").json();
        assertThat(clusters).isNotEmpty();
        assertThat(clusters.get(0).path("images")).isNotEmpty();
        assertThat(clusters.get(0).has("top")).isTrue();
        assertThat(Call.get(server.address(), "api/new-class").json().isArray()).isTrue();
        assertThat(Call.get(server.address(), "api/suspects").json().isArray()).isTrue();
        int photographs = Call.get(server.address(), "api/state")
                .json()
                .path("photographs")
                .asInt();
        assertThat(Call.get(server.address(), "api/map").json()).hasSize(2 * photographs);
        assertThat(Call.get(server.address(), "api/accuracy").json().has("curve"))
                .isTrue();
        for (String wrong : List.of("api/next", "api/next?count=0", "api/next?count=x", "api/clusters?k=1000")) {
            assertThat(Call.get(server.address(), wrong).status()).isEqualTo(400);
        }
    }

    @Test
    void the_page_is_complete_and_forbids_other_sources() throws IOException {
        Call page = Call.get(server.address(), "");
        assertThat(page.head()).contains("default-src 'none'", "frame-ancestors 'none'", "no-referrer");
        for (String file : List.of(
                "page.css",
                "page.js",
                "help.js",
                "curve.js",
                "grid.js",
                "start.js",
                "label.js",
                "check.js",
                "map.js",
                "train.js",
                "sheets.js",
                "review.js")) {
            Call part = Call.get(server.address(), file);
            assertThat(part.status()).as(file).isEqualTo(200);
            assertThat(part.body()).doesNotContain("https://").doesNotContain("innerHTML");
        }
        assertThat(Call.get(server.address(), "report.html").status()).isEqualTo(404);
        assertThat(Call.get(server.address(), "leaderboard.html").status()).isEqualTo(404);
        assertThat(Call.post(server.address(), "api/train", "{\"minutes\":-1}").status())
                .isEqualTo(400);
    }
}
