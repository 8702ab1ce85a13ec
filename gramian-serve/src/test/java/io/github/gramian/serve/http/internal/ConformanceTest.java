package io.github.gramian.serve.http.internal;

import static io.github.gramian.serve.protocol.internal.Requests.binaryHeader;
import static io.github.gramian.serve.protocol.internal.Requests.element;
import static io.github.gramian.serve.protocol.internal.Requests.joined;
import static io.github.gramian.serve.protocol.internal.Requests.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.eval.Prediction;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.model.Reading;
import io.github.gramian.serve.client.GramianClient;
import java.net.URI;
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

/** Every endpoint and required field of Open Inference Protocol v2 and its extensions, over a real connection. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConformanceTest {

    private static final String NO_REFERENCE = "the model has no novelty";
    private static final String NO_SCORES = "the model has no sets of classes";

    private static final String INFER = "/v2/models/textures/infer";

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

    /** Version 1 has no reference of its training images. */
    @ParameterizedTest
    @ValueSource(strings = {"/v2/models/textures", "/v2/models/textures/versions/1", "/v2/models/textures/versions/2"})
    void a_model_names_its_versions_and_tensors(String path) throws Exception {
        String optional = path.endsWith("1")
                ? ""
                : ",{\"name\":\"novelty\",\"datatype\":\"FP64\",\"shape\":[-1,1]},"
                        + "{\"name\":\"set\",\"datatype\":\"BYTES\",\"shape\":[-1,-1]}";
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
                        + readings.descriptorLength() + "]}" + optional + "]");
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
        assertThat(outputs).hasSize(4);
        Reading expected = readings.of(5);
        assertThat(outputs.get(3).path("name").asText()).isEqualTo("novelty");
        assertThat(outputs.get(0).path("name").asText()).isEqualTo("probabilities");
        assertThat(outputs.get(0).path("datatype").asText()).isEqualTo("FP32");
        assertThat(shape(outputs.get(0))).containsExactly(1, 3);
        assertThat(TestServer.floats(outputs.get(0).path("data")))
                .containsExactly(expected.prediction().probabilities());
        assertThat(outputs.get(1).path("name").asText()).isEqualTo("label");
        assertThat(shape(outputs.get(1))).containsExactly(1);
        assertThat(outputs.get(1).path("data").get(0).asText())
                .isEqualTo(expected.prediction().label());
        assertThat(shape(outputs.get(2))).containsExactly(1, readings.descriptorLength());
        assertThat(TestServer.floats(outputs.get(2).path("data"))).containsExactly(expected.descriptor());
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
        ByteBuffer tail = ByteBuffer.wrap(response.body(), length, response.body().length - length)
                .order(ByteOrder.LITTLE_ENDIAN);
        JsonNode label = json.path("outputs").get(0);
        assertThat(label.has("data")).isFalse();
        int start = tail.remaining();
        for (int image : new int[] {3, 30}) {
            byte[] string = new byte[tail.getInt()];
            tail.get(string);
            assertThat(new String(string, StandardCharsets.UTF_8))
                    .isEqualTo(readings.of(image).prediction().label());
        }
        assertThat(label.path("parameters").path("binary_data_size").asInt()).isEqualTo(start - tail.remaining());
        JsonNode probabilities = json.path("outputs").get(1);
        assertThat(shape(probabilities)).containsExactly(2, 3);
        assertThat(probabilities.path("parameters").path("binary_data_size").asInt())
                .isEqualTo(24)
                .isEqualTo(tail.remaining());
        for (Reading one : readings.ofBatch(3, 30)) {
            for (float expected : one.prediction().probabilities()) {
                assertThat(tail.getFloat()).isEqualTo(expected);
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
        assertThat(json.path("outputs")).hasSize(4).allMatch(output -> output.has("parameters") && !output.has("data"));
        assertThat(ByteBuffer.wrap(response.body(), length, 4)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getFloat())
                .isEqualTo(readings.of(9).prediction().probability(0));
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
        var best = readings.of(14).prediction().top(2);
        assertThat(output.path("data").get(0).asText())
                .isEqualTo(best.get(0).probability() + ":" + best.get(0).index() + ":"
                        + best.get(0).label());
        assertThat(output.path("data").get(1).asText())
                .endsWith(":" + best.get(1).label());
    }

    @Test
    void pixels_are_preprocessed_as_a_file_of_them() throws Exception {
        byte[] pixels = ((Decoded.Picture) ExpectedReadings.DECODER.decode(SmallModels.image(20)))
                .image()
                .pixels();
        byte[] header = utf8("{\"inputs\":[{\"name\":\"image\",\"shape\":[1,64,64,3],\"datatype\":\"UINT8\","
                + "\"parameters\":{\"binary_data_size\":" + pixels.length + "}}]}");
        HttpResponse<byte[]> response = server.post(
                INFER, joined(header, pixels), "Inference-Header-Content-Length", Integer.toString(header.length));
        assertThat(TestServer.floats(
                        TestServer.json(response).path("outputs").get(0).path("data")))
                .containsExactly(readings.of(20).prediction().probabilities());
    }

    private static List<String> strings(JsonNode array) {
        List<String> strings = new ArrayList<>();
        array.forEach(one -> strings.add(one.asText()));
        return strings;
    }

    private static List<String> labels(List<Prediction.Candidate> candidates) {
        return candidates.stream().map(Prediction.Candidate::label).toList();
    }

    private static String request(String parameters, String outputs, int... images) {
        List<String> files = new ArrayList<>();
        for (int image : images) {
            files.add('"' + Base64.getEncoder().encodeToString(SmallModels.image(image)) + '"');
        }
        return "{\"outputs\":[" + outputs + "],\"inputs\":[{\"name\":\"image\",\"shape\":[" + images.length
                + "],\"datatype\":\"BYTES\",\"data\":[" + String.join(",", files) + "]}],\"parameters\":{" + parameters
                + "}}";
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 9, 17, 30})
    void predict_answers_the_set_and_the_novelty_of_the_model(int image) throws Exception {
        Prediction expected = readings.of(image).prediction();
        for (double coverage : new double[] {0.3, 0.6, 0.99}) {
            JsonNode answer = TestServer.json(server.post("/predict?coverage=" + coverage, SmallModels.image(image)));
            assertThat(strings(answer.path("set"))).isEqualTo(labels(expected.set(coverage)));
            assertThat(answer.path("novelty").doubleValue())
                    .isEqualTo(expected.novelty().orElseThrow());
            assertThat(answer.has("unknown")).isFalse();
            assertThat(answer.has("notes")).isFalse();
        }
        assertThat(TestServer.json(server.post("/predict", SmallModels.image(image)))
                        .has("set"))
                .isFalse();
    }

    @Test
    void too_few_calibration_images_for_a_level_are_reported_in_the_answer() throws Exception {
        JsonNode answer = TestServer.json(server.post("/predict?coverage=0.9999&unknown=0.0001", SmallModels.image(0)));
        assertThat(strings(answer.path("set"))).hasSize(3);
        assertThat(strings(answer.path("notes")))
                .containsExactly(
                        "a coverage of 0.9999 needs 9,999 calibration images and the model has 99, so every set holds all"
                                + " classes",
                        "a level of 0.0001 needs 10,000 calibration images and the model has 999, so no image is called"
                                + " unknown");
    }

    @Test
    void the_protocol_reports_them_as_a_parameter_of_the_answer() throws Exception {
        JsonNode answer =
                TestServer.json(server.post(INFER, utf8(request("\"coverage\":0.999", "{\"name\":\"set\"}", 0))));
        assertThat(strings(answer.path("parameters").path("notes")))
                .singleElement()
                .asString()
                .startsWith("a coverage of 0.999 needs 999 calibration images and the model has 99");
    }

    @Test
    void images_below_the_given_novelty_are_unknown() throws Exception {
        Prediction expected = readings.of(3).prediction();
        double novelty = expected.novelty().orElseThrow();
        assertThat(novelty).isBetween(0.001, 0.998);
        JsonNode above = TestServer.json(server.post("/predict?unknown=" + (novelty - 1e-9), SmallModels.image(3)));
        assertThat(above.path("unknown").asBoolean()).isFalse();
        assertThat(above.path("class").asText()).isEqualTo(expected.label());
        JsonNode below = TestServer.json(server.post("/predict?unknown=" + (novelty + 1e-9), SmallModels.image(3)));
        assertThat(below.path("unknown").asBoolean()).isTrue();
        assertThat(below.path("class").asText()).isEqualTo("unknown");
        assertThat(below.path("top").get(0).path("class").asText()).isEqualTo(expected.label());
    }

    @Test
    void novelty_and_sets_are_outputs_of_the_protocol() throws Exception {
        int[] images = {1, 13, 25};
        JsonNode outputs = TestServer.json(server.post(
                        INFER, utf8(request("\"coverage\":0.4", "{\"name\":\"set\"},{\"name\":\"novelty\"}", images))))
                .path("outputs");
        var expected = readings.ofBatch(images);
        JsonNode set = outputs.get(0);
        int columns = set.path("shape").get(1).asInt();
        assertThat(set.path("datatype").asText()).isEqualTo("BYTES");
        assertThat(set.path("data")).hasSize(3 * columns);
        assertThat(outputs.get(1).path("datatype").asText()).isEqualTo("FP64");
        assertThat(outputs.get(1).path("shape")).hasToString("[3,1]");
        int largest = 0;
        for (int i = 0; i < 3; i++) {
            Prediction one = expected.get(i).prediction();
            assertThat(outputs.get(1).path("data").get(i).doubleValue())
                    .isEqualTo(one.novelty().orElseThrow());
            List<Prediction.Candidate> candidates = one.set(0.4);
            largest = Math.max(largest, candidates.size());
            for (int k = 0; k < columns; k++) {
                String text = set.path("data").get(i * columns + k).asText();
                assertThat(text)
                        .isEqualTo(
                                k < candidates.size()
                                        ? candidates.get(k).probability() + ":"
                                                + candidates.get(k).index() + ":"
                                                + candidates.get(k).label()
                                        : "");
            }
        }
        assertThat(columns).isEqualTo(largest);
    }

    @Test
    void a_request_that_names_no_outputs_gets_the_set_only_with_a_coverage() throws Exception {
        byte[] tensor = element(SmallModels.image(2));
        for (String parameters : new String[] {"", ",\"parameters\":{\"coverage\":0.5}"}) {
            byte[] header = binaryHeader(1, tensor.length, parameters);
            JsonNode outputs = TestServer.json(server.post(
                            INFER,
                            joined(header, tensor),
                            "Inference-Header-Content-Length",
                            Integer.toString(header.length)))
                    .path("outputs");
            assertThat(outputs.findValuesAsText("name"))
                    .startsWith("probabilities", "label", "descriptor", "novelty")
                    .hasSize(parameters.isEmpty() ? 4 : 5);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        /predict?version=1&coverage=0.9 | the model has no sets of classes
        /predict?version=1&unknown=0.05 | the model has no novelty
        /predict?coverage=90            | coverage must lie between 0 and 1, such as 0.9
        /predict?coverage=1             | coverage must lie between 0 and 1, such as 0.9
        /predict?coverage=NaN           | coverage must lie between 0 and 1, such as 0.9
        /predict?coverage=0x1p-3        | coverage must lie between 0 and 1, such as 0.9
        /predict?coverage=0.5d          | coverage must lie between 0 and 1, such as 0.9
        /predict?coverage=%200.5        | coverage must lie between 0 and 1, such as 0.9
        /predict?top=%2B5               | top must be a whole number in 1..1000000
        /predict?top=%D9%A3             | top must be a whole number in 1..1000000
        /predict?unknown=often          | unknown must lie between 0 and 1, such as 0.05
        """)
    void what_the_model_cannot_answer_is_refused(String address, String message) throws Exception {
        HttpResponse<byte[]> response = server.post(address, SmallModels.image(0));
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(TestServer.json(response).path("error").asText()).startsWith(message);
    }

    @Test
    void a_model_without_a_reference_answers_without_novelty() throws Exception {
        assertThat(TestServer.json(server.post("/predict?version=1", SmallModels.image(0)))
                        .has("novelty"))
                .isFalse();
        assertThat(server.server.models().all())
                .allMatch(model -> model.batcher().waiting() == 0);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        1 |                     | {"name":"novelty"} | the model has no novelty
        1 | "coverage":0.9      | {"name":"set"}     | the model has no sets of classes
        1 | "coverage":0.9      | {"name":"label"}   | the model has no sets of classes
        2 |                     | {"name":"set"}     | the output 'set' needs a coverage
        2 | "coverage":1.5      | {"name":"set"}     | coverage must lie between 0 and 1
        2 | "coverage":"0.9"    | {"name":"set"}     | coverage must be a number
        2 | "coverage":1e999    | {"name":"set"}     | coverage must lie between 0 and 1
        """)
    void the_protocol_refuses_what_the_model_cannot_answer(
            int version, String parameters, String outputs, String message) throws Exception {
        HttpResponse<byte[]> response = server.post(
                "/v2/models/textures/versions/" + version + "/infer",
                utf8(request(parameters == null ? "" : parameters, outputs, 0)));
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(TestServer.json(response).path("error").asText()).startsWith(message);
    }

    @Test
    void the_client_returns_sets_and_novelty() throws Exception {
        GramianClient client = GramianClient.of(URI.create(server.server.address()), "textures");
        Prediction expected = readings.of(6).prediction();
        List<GramianClient.Candidate> set = client.set(SmallModels.image(6), 0.7);
        assertThat(set.stream().map(GramianClient.Candidate::label).toList()).isEqualTo(labels(expected.set(0.7)));
        assertThat(set.get(0).probability()).isEqualTo(expected.probability(expected.predicted()));
        assertThat(client.novelty(SmallModels.image(6)))
                .isEqualTo(expected.novelty().orElseThrow());
        GramianClient older = GramianClient.of(URI.create(server.server.address()), "textures/versions/1");
        assertThatThrownBy(() -> older.novelty(SmallModels.image(6))).hasMessageContaining(NO_REFERENCE);
        assertThatThrownBy(() -> older.set(SmallModels.image(6), 0.9)).hasMessageContaining(NO_SCORES);
    }
}
