package io.github.gramian.serve.http.internal;

import static io.github.gramian.serve.protocol.internal.Requests.binaryHeader;
import static io.github.gramian.serve.protocol.internal.Requests.element;
import static io.github.gramian.serve.protocol.internal.Requests.joined;
import static io.github.gramian.serve.protocol.internal.Requests.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.serve.SmallModels;
import io.github.gramian.train.SmallRuns;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every endpoint, required field and error of Open Inference Protocol v2 and the extensions, over a real connection. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConformanceTest {

    private static final String INFER = "/v2/models/textures/infer";
    private static final ImageDecoder DECODER = new ImageDecoder(ImageLimits.DEFAULT);

    @SuppressWarnings("NullAway.Init") // set before all tests
    private TestServer server;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private BatchPredictor predictor;

    @BeforeAll
    void start() throws Exception {
        server = TestServer.start();
        predictor = BatchPredictor.load(SmallModels.first());
    }

    @AfterAll
    void stop() {
        server.close();
        predictor.close();
    }

    private Reading reading(int image) {
        return predictor
                .read(List.of(predictor.prepare(SmallModels.image(image), DECODER)))
                .get(0);
    }

    private static void isError(HttpResponse<byte[]> response, int status) throws Exception {
        assertThat(response.statusCode())
                .as(new String(response.body(), StandardCharsets.UTF_8))
                .isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
        JsonNode body = TestServer.json(response);
        assertThat(body.size()).isEqualTo(1);
        assertThat(body.path("error").asText()).isNotBlank();
    }

    private static float[] floats(JsonNode data) {
        float[] values = new float[data.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = data.get(i).floatValue();
        }
        return values;
    }

    private static List<Integer> shape(JsonNode tensor) {
        List<Integer> shape = new ArrayList<>();
        tensor.path("shape").forEach(side -> shape.add(side.asInt()));
        return shape;
    }

    @Test
    void the_server_is_live_and_ready() throws Exception {
        assertThat(server.get("/v2/health/live").statusCode()).isEqualTo(200);
        assertThat(TestServer.json(server.get("/v2/health/live")).path("live").asBoolean())
                .isTrue();
        assertThat(server.get("/v2/health/ready").statusCode()).isEqualTo(200);
        assertThat(TestServer.json(server.get("/v2/health/ready")).path("ready").asBoolean())
                .isTrue();
    }

    @Test
    void the_server_names_itself_and_its_extensions() throws Exception {
        JsonNode body = TestServer.json(server.get("/v2"));
        assertThat(body.path("name").asText()).isEqualTo("gramian");
        assertThat(body.path("version").asText()).isNotBlank();
        assertThat(body.path("extensions").toString()).isEqualTo("[\"binary_tensor_data\",\"classification\"]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v2/models/textures", "/v2/models/textures/versions/1", "/v2/models/textures/versions/2"})
    void a_model_names_its_versions_and_tensors(String path) throws Exception {
        HttpResponse<byte[]> response = server.get(path);
        assertThat(response.statusCode()).isEqualTo(200);
        JsonNode body = TestServer.json(response);
        assertThat(body.path("name").asText()).isEqualTo("textures");
        assertThat(body.path("platform").asText()).isEqualTo("gramian");
        assertThat(body.path("versions").toString()).isEqualTo("[\"1\",\"2\"]");
        assertThat(body.path("inputs").toString())
                .isEqualTo("[{\"name\":\"image\",\"datatype\":\"BYTES\",\"shape\":[-1]}]");
        assertThat(body.path("outputs").toString())
                .isEqualTo("[{\"name\":\"probabilities\",\"datatype\":\"FP32\",\"shape\":[-1,3]},"
                        + "{\"name\":\"label\",\"datatype\":\"BYTES\",\"shape\":[-1]},"
                        + "{\"name\":\"descriptor\",\"datatype\":\"FP32\",\"shape\":[-1,"
                        + predictor.descriptorLength() + "]}]");
        JsonNode ready = TestServer.json(server.get(path + "/ready"));
        assertThat(ready.path("name").asText()).isEqualTo("textures");
        assertThat(ready.path("ready").asBoolean()).isTrue();
    }

    @Test
    void json_in_json_out_with_the_answers_of_predict_bit_for_bit() throws Exception {
        String request =
                "{\"id\":\"42\",\"inputs\":[{\"name\":\"image\",\"shape\":[1],\"datatype\":\"BYTES\",\"data\":[\""
                        + Base64.getEncoder().encodeToString(SmallModels.image(5)) + "\"]}]}";
        HttpResponse<byte[]> response = server.post(INFER, utf8(request));
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
        JsonNode body = TestServer.json(response);
        assertThat(body.path("model_name").asText()).isEqualTo("textures");
        assertThat(body.path("model_version").asText()).isEqualTo("2");
        assertThat(body.path("id").asText()).isEqualTo("42");
        JsonNode outputs = body.path("outputs");
        assertThat(outputs).hasSize(3);
        Reading expected = reading(5);
        assertThat(outputs.get(0).path("name").asText()).isEqualTo("probabilities");
        assertThat(outputs.get(0).path("datatype").asText()).isEqualTo("FP32");
        assertThat(shape(outputs.get(0))).containsExactly(1, 3);
        assertThat(floats(outputs.get(0).path("data")))
                .containsExactly(expected.prediction().probabilities());
        assertThat(outputs.get(1).path("name").asText()).isEqualTo("label");
        assertThat(shape(outputs.get(1))).containsExactly(1);
        assertThat(outputs.get(1).path("data").get(0).asText())
                .isEqualTo(expected.prediction().label());
        assertThat(shape(outputs.get(2))).containsExactly(1, predictor.descriptorLength());
        assertThat(floats(outputs.get(2).path("data"))).containsExactly(expected.descriptor());
    }

    @Test
    void bytes_in_bytes_out_as_clients_of_triton_send_them() throws Exception {
        byte[] tensor = joined(element(SmallModels.image(3)), element(SmallModels.image(30)));
        byte[] header = binaryHeader(
                2,
                tensor.length,
                ",\"outputs\":[{\"name\":\"label\",\"parameters\":{\"binary_data\":true}},"
                        + "{\"name\":\"probabilities\",\"parameters\":{\"binary_data\":true}}]");
        HttpResponse<byte[]> response = server.post(
                INFER,
                joined(header, tensor),
                "Inference-Header-Content-Length",
                Integer.toString(header.length),
                "Content-Type",
                "application/octet-stream");
        assertThat(response.statusCode()).isEqualTo(200);
        int length = Integer.parseInt(
                response.headers().firstValue("Inference-Header-Content-Length").orElseThrow());
        JsonNode json = TestServer.JSON.readTree(response.body(), 0, length);
        ByteBuffer behind = ByteBuffer.wrap(response.body(), length, response.body().length - length)
                .order(ByteOrder.LITTLE_ENDIAN);
        JsonNode label = json.path("outputs").get(0);
        assertThat(label.has("data")).isFalse();
        int start = behind.remaining();
        for (int image : new int[] {3, 30}) {
            byte[] text = new byte[behind.getInt()];
            behind.get(text);
            assertThat(new String(text, StandardCharsets.UTF_8))
                    .isEqualTo(reading(image).prediction().label());
        }
        assertThat(label.path("parameters").path("binary_data_size").asInt()).isEqualTo(start - behind.remaining());
        JsonNode probabilities = json.path("outputs").get(1);
        assertThat(shape(probabilities)).containsExactly(2, 3);
        assertThat(probabilities.path("parameters").path("binary_data_size").asInt())
                .isEqualTo(24)
                .isEqualTo(behind.remaining());
        Reading[] both = predictor
                .read(List.of(
                        predictor.prepare(SmallModels.image(3), DECODER),
                        predictor.prepare(SmallModels.image(30), DECODER)))
                .toArray(Reading[]::new);
        for (Reading one : both) {
            for (float expected : one.prediction().probabilities()) {
                assertThat(behind.getFloat()).isEqualTo(expected);
            }
        }
    }

    @Test
    void a_header_of_no_bytes_is_an_image_alone_and_the_answer_is_binary() throws Exception {
        HttpResponse<byte[]> response =
                server.post(INFER, SmallModels.image(9), "Inference-Header-Content-Length", "0");
        assertThat(response.statusCode()).isEqualTo(200);
        int length = Integer.parseInt(
                response.headers().firstValue("Inference-Header-Content-Length").orElseThrow());
        JsonNode json = TestServer.JSON.readTree(response.body(), 0, length);
        assertThat(json.path("outputs")).hasSize(3).allMatch(output -> output.has("parameters") && !output.has("data"));
        assertThat(ByteBuffer.wrap(response.body(), length, 4)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getFloat())
                .isEqualTo(reading(9).prediction().probability(0));
    }

    @Test
    void the_classification_extension_gives_value_index_label() throws Exception {
        byte[] tensor = element(SmallModels.image(14));
        byte[] header = binaryHeader(
                1, tensor.length, ",\"outputs\":[{\"name\":\"probabilities\",\"parameters\":{\"classification\":2}}]");
        HttpResponse<byte[]> response = server.post(
                INFER, joined(header, tensor), "Inference-Header-Content-Length", Integer.toString(header.length));
        JsonNode output = TestServer.json(response).path("outputs").get(0);
        assertThat(output.path("datatype").asText()).isEqualTo("BYTES");
        assertThat(shape(output)).containsExactly(1, 2);
        var best = reading(14).prediction().top(2);
        assertThat(output.path("data").get(0).asText())
                .isEqualTo(best.get(0).probability() + ":" + best.get(0).index() + ":"
                        + best.get(0).label());
        assertThat(output.path("data").get(1).asText())
                .endsWith(":" + best.get(1).label());
    }

    @Test
    void pixels_are_preprocessed_as_a_file_of_them() throws Exception {
        byte[] pixels = ((Decoded.Picture) DECODER.decode(SmallModels.image(20)))
                .image()
                .pixels();
        byte[] header = utf8("{\"inputs\":[{\"name\":\"image\",\"shape\":[1,64,64,3],\"datatype\":\"UINT8\","
                + "\"parameters\":{\"binary_data_size\":" + pixels.length + "}}]}");
        HttpResponse<byte[]> response = server.post(
                INFER, joined(header, pixels), "Inference-Header-Content-Length", Integer.toString(header.length));
        assertThat(floats(TestServer.json(response).path("outputs").get(0).path("data")))
                .containsExactly(reading(20).prediction().probabilities());
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
    void predict_takes_a_file_or_a_form() throws Exception {
        byte[] image = SmallModels.image(7);
        JsonNode plain = TestServer.json(server.post("/predict?top=2", image, "Content-Type", "image/png"));
        Reading expected = reading(7);
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
        assertThat(floats(descriptor)).containsExactly(expected.descriptor());
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /v2/models/nothing, 404",
        "GET, /v2/models/textures/versions/9, 404",
        "GET, /v2/models/textures/versions, 404",
        "GET, /v2/models/textures/, 404",
        "GET, /v2/models, 404",
        "GET, /v2/nothing, 404",
        "GET, /nothing, 404",
        "GET, /v2/health/nothing, 404",
        "POST, /v2/models/nothing/infer, 404",
        "POST, /v2/repository/models/textures/load, 404",
        "POST, /predict?model=nothing, 404",
        "POST, /predict?top=0, 400",
        "POST, /predict?top=x, 400",
        "GET, /predict, 405",
        "PUT, /predict, 405",
        "GET, /v2/models/textures/infer, 405",
        "POST, /v2, 405",
        "DELETE, /v2/health/live, 405",
        "POST, /v2/models/textures/infer, 400",
        "POST, /predict, 400",
        "GET, /v2/%2e%2e/%2e%2e/etc/passwd, 400",
    })
    void errors_have_a_status_and_say_why(String method, String path, int status) throws Exception {
        HttpResponse<byte[]> response = server.send(HttpRequest.newBuilder(server.address(path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build());
        isError(response, status);
        assertThat(response.headers().firstValue("Allow").isPresent()).isEqualTo(status == 405);
    }

    @Test
    void heic_is_rejected_with_advice_whether_or_not_a_converter_is_installed() throws Exception {
        HttpResponse<byte[]> response = server.post("/predict", utf8("\0\0\0\u0014ftypheic\0\0\0\0mif1"));
        isError(response, 415);
        assertThat(TestServer.json(response).path("error").asText())
                .contains("HEIC and AVIF files need a converter")
                .contains("convert the file to JPEG: heif-convert photo.heic photo.jpg");
    }

    @Test
    void images_that_are_none_or_too_large_are_told_apart() throws Exception {
        isError(server.post("/predict", utf8("this is text and not a picture")), 415);
        byte[] png = SmallModels.image(0);
        isError(server.post("/predict", java.util.Arrays.copyOf(png, png.length / 2)), 400);
        byte[] bomb = png.clone();
        ByteBuffer.wrap(bomb).putInt(16, 60_000).putInt(20, 60_000); // width and height in IHDR
        assertThat(server.post("/predict", bomb).statusCode()).isIn(400, 413);
        for (int i = 0;
                i < 20;
                i++) { // the client still sends when it is refused, and must get the answer nevertheless
            isError(server.post("/predict", new byte[(1 << 20) + 1]), 413);
        }
        isError(server.post("/predict", png, "Content-Encoding", "gzip"), 415);
        isError(server.post(INFER, png, "Inference-Header-Content-Length", "many"), 400);
    }

    @Test
    void the_answer_for_every_image_is_that_of_predict() throws Exception {
        for (int i = 0; i < SmallModels.images().size(); i++) {
            JsonNode answer = TestServer.json(server.post("/predict?top=3", SmallModels.image(i)));
            var expected = reading(i).prediction().top(3);
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
    void metrics_and_the_access_log_tell_of_requests() throws Exception {
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
