package io.github.gramian.serve.http.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.io.internal.FileNames;
import io.github.gramian.similar.ImageIndex;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /similar}, the output "neighbours", and an index that changes while requests arrive. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class SimilarEndpointTest {

    private static final int CLIENTS = 16;
    private static final int IMAGE = 7;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private Path photos;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private Path index;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private TestServer server;

    @BeforeAll
    void start(@TempDir Path temporary) throws Exception {
        folder = temporary;
        photos = folder.resolve("photos");
        for (Path image : SmallModels.images()) {
            copy(image, label(image) + "/" + image.getFileName());
        }
        index = folder.resolve("photos.index");
        ImageIndex.build(photos, SmallModels.first(), index);
        server = TestServer.start(old -> with(old, index));
    }

    @AfterAll
    void stop() {
        server.close();
    }

    /** Name of the directory of an image. */
    private static String label(Path image) {
        return String.valueOf(image.getName(image.getNameCount() - 2));
    }

    private void copy(Path image, String name) throws Exception {
        Path target = photos.resolve(name);
        Files.createDirectories(target.getParent());
        Files.copy(image, target);
    }

    /** Settings of a server with an index. */
    static ServerSettings with(ServerSettings old, Path index) {
        return with(old, index, Optional.empty());
    }

    private static ServerSettings with(ServerSettings old, Path index, Optional<Path> photographs) {
        return TestServer.with(
                old,
                new ServerSettings.Features(
                        true, false, false, old.features().drain(), Optional.of(index), photographs));
    }

    @Test
    void the_page_shows_small_copies_only_if_the_server_knows_the_photographs() throws Exception {
        byte[] image = SmallModels.image(IMAGE);
        JsonNode names = TestServer.json(server.post("/page/reading?model=textures&version=2", image))
                .path("neighbours");
        assertThat(names)
                .hasSize(8)
                .allSatisfy(one -> assertThat(one.has("thumbnail")).isFalse());
        try (TestServer showing = TestServer.start(old -> with(old, index, Optional.of(photos)))) {
            JsonNode copies = TestServer.json(showing.post("/page/reading?model=textures&version=2", image))
                    .path("neighbours");
            assertThat(copies)
                    .hasSize(8)
                    .allSatisfy(
                            one -> assertThat(one.path("thumbnail").asText()).startsWith("data:image/jpeg;base64,"));
            assertThat(TestServer.json(showing.post("/similar", image)).path("neighbours"))
                    .as("for other clients")
                    .allSatisfy(one -> assertThat(one.has("thumbnail")).isFalse());
        }
    }

    private JsonNode neighbours(String query) throws Exception {
        HttpResponse<byte[]> response = server.post("/similar" + query, SmallModels.image(IMAGE));
        assertThat(response.statusCode()).isEqualTo(200);
        return TestServer.json(response).path("neighbours");
    }

    private static String error(HttpResponse<byte[]> response) throws Exception {
        return TestServer.json(response).path("error").asText();
    }

    @Test
    void neighbours_are_those_that_the_index_finds() throws Exception {
        JsonNode answer = TestServer.json(server.post("/similar?top=5", SmallModels.image(IMAGE)));
        assertThat(answer.path("model").asText()).isEqualTo("textures");
        assertThat(answer.path("version").asText()).isEqualTo("2");
        JsonNode found = answer.path("neighbours");
        assertThat(found).hasSize(5);
        assertThat(found.get(0).fieldNames()).toIterable().containsExactly("file", "similarity", "label");
        try (ImageIndex opened = ImageIndex.open(index)) {
            List<ImageIndex.Match> expected =
                    opened.similar(SmallModels.images().get(IMAGE), 5);
            for (int i = 0; i < expected.size(); i++) {
                ImageIndex.Match match = expected.get(i);
                JsonNode one = found.get(i);
                assertThat(one.path("file").asText()).isEqualTo(FileNames.text(photos.relativize(match.file())));
                assertThat(one.path("label").asText()).isEqualTo(match.label());
                assertThat(one.path("similarity").floatValue()).isCloseTo(match.similarity(), within(1e-4f));
            }
        }
        assertThat(neighbours("")).hasSize(20);
    }

    @Test
    void filters_restrict_the_neighbours() throws Exception {
        String label = label(SmallModels.images().get(IMAGE + 12));
        JsonNode found = neighbours("?filter=label%3D" + label);
        assertThat(found)
                .isNotEmpty()
                .allMatch(one -> one.path("label").asText().equals(label));
        // Filters of one field are alternatives, those of different fields must all hold.
        assertThat(neighbours("?top=100&filter=label%3D" + label + "&filter=label%3Dother"))
                .hasSize(12);
        assertThat(neighbours("?filter=label%3D" + label + "&filter=path%3Dother*"))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                "top=0; top must be a whole number in 1..1000",
                "top=1001; top must be a whole number in 1..1000",
                "top=few; top must be a whole number in 1..1000",
                "filter=colour%3Dred; 'colour=red' is not a filter",
                "filter=after%3Dyesterday; needs a day such as 2025-01-31",
                "filter=after%3D%2B999999999-12-31; needs a day such as 2025-01-31",
                "filter=before%3D-999999999-01-01; needs a day such as 2025-01-31"
            })
    void a_parameter_that_does_not_fit_is_rejected_with_its_reason(String query, String reason) throws Exception {
        HttpResponse<byte[]> response = server.post("/similar?" + query, SmallModels.image(IMAGE));
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(error(response)).contains(reason);
        assertThat(server.server.models().all())
                .allMatch(model -> model.batcher().waiting() == 0);
    }

    @Test
    void a_version_that_is_not_served_is_rejected_even_without_a_model() throws Exception {
        HttpResponse<byte[]> response = server.post("/similar?version=NaN", SmallModels.image(IMAGE));
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(error(response)).contains("has no version 'NaN'");
        assertThat(server.post("/similar?version=2", SmallModels.image(IMAGE)).statusCode())
                .isEqualTo(200);
    }

    @Test
    void a_model_that_did_not_describe_the_photographs_has_no_index() throws Exception {
        HttpResponse<byte[]> response = server.post("/similar?model=textures&version=1", SmallModels.image(IMAGE));
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(error(response)).contains("the model textures:1 has no index", "another model file");
        // Without a name, the model of the index answers, even if another one is the default.
        Path other = folder.resolve("second.index");
        ImageIndex.build(photos, SmallModels.second(), other);
        try (TestServer second = TestServer.start(old -> with(old, other))) {
            assertThat(TestServer.json(second.post("/similar", SmallModels.image(IMAGE)))
                            .path("version")
                            .asText())
                    .isEqualTo("1");
        }
        assertThatThrownBy(() -> TestServer.start(old ->
                                with(TestServer.with(old, old.models().subList(1, 2)), other))
                        .close())
                .hasMessageContaining("was built with another model")
                .hasMessageContaining("serve that model");
    }

    @Test
    void a_server_without_an_index_says_so() throws Exception {
        try (TestServer without = TestServer.start()) {
            HttpResponse<byte[]> response = without.post("/similar", SmallModels.image(IMAGE));
            assertThat(response.statusCode()).isEqualTo(404);
            assertThat(error(response)).contains("--index");
            HttpResponse<byte[]> named = without.post("/v2/models/textures/infer", request(""));
            assertThat(named.statusCode()).isEqualTo(400);
            assertThat(error(named)).contains("--index");
        }
    }

    /** One image, of which only the neighbours are wanted. */
    private static byte[] request(String parameters) {
        return ("{\"parameters\":{" + parameters
                        + "},\"outputs\":[{\"name\":\"neighbours\"}],\"inputs\":[{\"name\":\"image\","
                        + "\"shape\":[1],\"datatype\":\"BYTES\",\"data\":[\""
                        + Base64.getEncoder().encodeToString(SmallModels.image(IMAGE)) + "\"]}]}")
                .getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void inference_gives_neighbours_if_a_request_names_them() throws Exception {
        assertThat(TestServer.json(server.get("/v2/models/textures"))
                        .path("outputs")
                        .toString())
                .contains("{\"name\":\"neighbours\",\"datatype\":\"BYTES\",\"shape\":[-1,-1]}");
        assertThat(TestServer.json(server.get("/v2/models/textures/versions/1"))
                        .path("outputs")
                        .toString())
                .doesNotContain("neighbours");
        HttpResponse<byte[]> response = server.post("/v2/models/textures/infer", request("\"top\":3"));
        JsonNode output = TestServer.json(response).path("outputs");
        assertThat(output).hasSize(1);
        assertThat(output.get(0).path("shape").toString()).isEqualTo("[1,3]");
        JsonNode expected = neighbours("?top=3");
        for (int i = 0; i < 3; i++) {
            assertThat(output.get(0).path("data").get(i).asText())
                    .isEqualTo(expected.get(i).path("similarity").floatValue() + ":"
                            + expected.get(i).path("file").asText());
        }
        HttpResponse<byte[]> wrong = server.post("/v2/models/textures/infer", request("\"filter\":\"colour=red\""));
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(error(wrong)).contains("is not a filter");
        assertThat(server.post("/v2/models/textures/infer", request("\"top\":0"))
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void the_page_gets_neighbours_and_metrics_record_searches() throws Exception {
        JsonNode page = TestServer.json(server.post("/page/reading", SmallModels.image(IMAGE)));
        assertThat(page.path("neighbours")).hasSize(8);
        assertThat(TestServer.json(server.post("/page/reading?model=textures&version=1", SmallModels.image(IMAGE)))
                        .has("neighbours"))
                .isFalse();
        neighbours("");
        assertThat(new String(server.get("/metrics").body(), StandardCharsets.UTF_8))
                .contains("gramian_requests_total{endpoint=\"similar\",status=\"200\"}")
                .contains("gramian_stage_seconds_bucket{model=\"textures:2\",stage=\"search\"");
    }

    @Test
    void an_index_that_changes_under_load_loses_no_request() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        AtomicBoolean stop = new AtomicBoolean();
        List<Future<List<Integer>>> clients = new ArrayList<>();
        for (int c = 0; c < CLIENTS; c++) {
            int first = c;
            clients.add(threads.submit(() -> {
                List<Integer> statuses = new ArrayList<>();
                for (int i = first; !stop.get(); i++) {
                    statuses.add(server.post("/similar?top=50", SmallModels.image(i % 36))
                            .statusCode());
                }
                return statuses;
            }));
        }
        List<Integer> statuses = new ArrayList<>();
        try {
            copy(SmallModels.images().get(IMAGE), "added/0.png");
            copy(SmallModels.images().get(IMAGE), "added/1.png");
            ImageIndex.build(photos, SmallModels.first(), index);
            server.awaitUpkeep();
            assertThat(neighbours("?filter=label%3Dadded")).hasSize(2);
            // The old index remains in use while another one is put in its place.
            Path away = folder.resolve("away");
            Files.move(index, away);
            server.awaitUpkeep();
            assertThat(neighbours("?filter=label%3Dadded")).hasSize(2);
            Files.delete(photos.resolve("added/0.png"));
            ImageIndex.build(photos, SmallModels.first(), index);
            server.awaitUpkeep();
            assertThat(neighbours("?filter=label%3Dadded")).hasSize(1);
        } finally {
            stop.set(true);
            for (Future<List<Integer>> client : clients) {
                statuses.addAll(client.get());
            }
            threads.shutdownNow();
        }
        assertThat(statuses).hasSizeGreaterThan(CLIENTS).containsOnly(200);
    }
}
