package io.github.gramian.serve.http.internal;

import static io.github.gramian.serve.protocol.internal.Requests.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.fixture.SmallModels;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every request that cannot be answered gets a status and one JSON object with a message. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ErrorResponsesTest {

    private static final String INFER = "/v2/models/textures/infer";

    @SuppressWarnings("NullAway.Init") // set before all tests
    private TestServer server;

    @BeforeAll
    void start() throws Exception {
        server = TestServer.start();
    }

    @AfterAll
    void stop() {
        server.close();
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
    void errors_have_a_status_and_a_message(String method, String path, int status) throws Exception {
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
    void invalid_and_too_large_images_have_different_statuses() throws Exception {
        isError(server.post("/predict", utf8("this is text and not a picture")), 415);
        byte[] png = SmallModels.image(0);
        isError(server.post("/predict", Arrays.copyOf(png, png.length / 2)), 400);
        byte[] bomb = png.clone();
        ByteBuffer.wrap(bomb).putInt(16, 60_000).putInt(20, 60_000); // width and height in IHDR
        assertThat(server.post("/predict", bomb).statusCode()).isIn(400, 413);
        // The client is still sending when it is refused, and must receive the answer nevertheless.
        for (int i = 0; i < 20; i++) {
            isError(server.post("/predict", new byte[(1 << 20) + 1]), 413);
        }
        isError(server.post("/predict", png, "Content-Encoding", "gzip"), 415);
        isError(server.post(INFER, png, "Inference-Header-Content-Length", "many"), 400);
    }
}
