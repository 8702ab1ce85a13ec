package io.github.gramian.serve.http.internal;

import static io.github.gramian.serve.protocol.internal.Requests.joined;
import static io.github.gramian.serve.protocol.internal.Requests.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.model.Reading;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** {@code /predict} and {@code /describe}: their inputs and answers, and what the server records of requests. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PredictEndpointTest {

    @SuppressWarnings("NullAway.Init") // set before all tests
    private TestServer server;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private ExpectedReadings readings;

    @BeforeAll
    void start() throws Exception {
        server = TestServer.start();
        readings = ExpectedReadings.load();
    }

    @AfterAll
    void stop() {
        server.close();
        readings.close();
    }

    @Test
    void predict_takes_a_file_or_a_form() throws Exception {
        byte[] image = SmallModels.image(7);
        JsonNode plain = TestServer.json(server.post("/predict?top=2", image, "Content-Type", "image/png"));
        Reading expected = readings.of(7);
        assertThat(plain.path("class").asText()).isEqualTo(expected.prediction().label());
        assertThat(plain.path("probability").floatValue())
                .isEqualTo(
                        expected.prediction().probability(expected.prediction().predicted()));
        assertThat(plain.path("top")).hasSize(2);
        // The order of members does not depend on the JVM that answers.
        assertThat(plain.path("top").get(0).fieldNames()).toIterable().containsExactly("class", "probability");
        byte[] form = joined(
                utf8("--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"x.png\"\r\n\r\n"),
                image,
                utf8("\r\n--b--\r\n"));
        JsonNode ofForm =
                TestServer.json(server.post("/predict?top=2", form, "Content-Type", "multipart/form-data; boundary=b"));
        assertThat(ofForm).isEqualTo(plain);
        JsonNode descriptor = TestServer.json(server.post("/describe", image)).path("descriptor");
        assertThat(TestServer.floats(descriptor)).containsExactly(expected.descriptor());
    }

    @Test
    void versions_are_different_models() throws Exception {
        byte[] image = SmallModels.image(2);
        String first = new String(
                server.post("/predict?model=textures&version=1", image).body(), StandardCharsets.UTF_8);
        String second = new String(server.post("/predict", image).body(), StandardCharsets.UTF_8);
        assertThat(first).contains("\"version\":\"1\"").isNotEqualTo(second.replace("\"2\"", "\"1\""));
    }

    @Test
    void the_answer_for_every_image_is_that_of_predict() throws Exception {
        for (int i = 0; i < SmallModels.images().size(); i++) {
            JsonNode answer = TestServer.json(server.post("/predict?top=3", SmallModels.image(i)));
            var expected = readings.of(i).prediction().top(3);
            for (int k = 0; k < 3; k++) {
                assertThat(answer.path("top").get(k).path("class").asText())
                        .isEqualTo(expected.get(k).label());
                assertThat(answer.path("top").get(k).path("probability").floatValue())
                        .isEqualTo(expected.get(k).probability());
            }
        }
        assertThat(SmallModels.images()).hasSize(3 * (SmallRuns.TRAIN + SmallRuns.TEST));
    }

    @Test
    void metrics_and_the_access_log_record_requests() throws Exception {
        server.post("/predict", SmallModels.image(0));
        String metrics = new String(server.get("/metrics").body(), StandardCharsets.UTF_8);
        for (String stage : new String[] {"decode", "queue", "compute"}) {
            assertThat(metrics)
                    .containsPattern(
                            "gramian_stage_seconds_bucket\\{model=\"textures:2\",stage=\"" + stage + "\",le=\"0.05\"");
        }
        assertThat(metrics)
                .contains("gramian_batch_images_bucket", "gramian_queue_images{model=\"textures:2\"}")
                .contains("process_resident_memory_bytes", "gramian_native_memory_bytes");
        while (server.log.stream().noneMatch(one -> one.contains("/predict"))) {
            Thread.sleep(5);
        }
        JsonNode line = TestServer.JSON.readTree(server.log.stream()
                .filter(one -> one.contains("\"path\":\"/predict\"") && one.contains("\"status\":200"))
                .findFirst()
                .orElseThrow());
        assertThat(line.path("method").asText()).isEqualTo("POST");
        assertThat(line.path("images").asInt()).isEqualTo(1);
        assertThat(line.path("bytesIn").asLong()).isPositive();
        assertThat(line.path("millis").asDouble()).isPositive();
    }

    @Test
    void nothing_is_held_when_all_are_answered() throws Exception {
        server.post("/predict", SmallModels.image(0));
        server.post("/predict", new byte[100_000]);
        assertThat(server.server.bodyBytes()).isZero();
        assertThat(server.server.models().all())
                .allMatch(model -> model.batcher().waiting() == 0);
    }
}
