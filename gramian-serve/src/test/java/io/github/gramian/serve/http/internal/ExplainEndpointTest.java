package io.github.gramian.serve.http.internal;

import static io.github.gramian.cli.CommandRun.gramian;
import static io.github.gramian.serve.protocol.internal.Requests.joined;
import static io.github.gramian.serve.protocol.internal.Requests.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.serve.inference.internal.ModelSpec;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** {@code POST /explain}: grids and pictures of contributions. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExplainEndpointTest {

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

    private static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    @Test
    void the_answer_is_a_grid_for_the_predicted_class() throws Exception {
        byte[] image = SmallModels.image(3);
        JsonNode predicted = TestServer.json(server.post("/predict", image));
        JsonNode answer = TestServer.json(server.post("/explain", image));
        assertThat(answer.path("class")).isEqualTo(predicted.path("class"));
        assertThat(answer.path("predicted")).isEqualTo(predicted.path("class"));
        assertThat(answer.path("probability").floatValue())
                .isEqualTo(predicted.path("probability").floatValue());
        assertThat(answer.path("region").path("width").asDouble()).isBetween(0.5, 1.0);
        assertThat(answer.path("contributions").size()).isGreaterThan(1);
        assertThat(answer.path("contributions").get(0))
                .hasSize(answer.path("contributions").size());
    }

    @Test
    void a_class_can_be_chosen_and_a_form_gives_the_same() throws Exception {
        byte[] image = SmallModels.image(3);
        String other = SmallRuns.CLASSES.get(2);
        JsonNode answer = TestServer.json(server.post("/explain?class=" + other, image));
        assertThat(answer.path("class").asText()).isEqualTo(other);
        byte[] form = joined(
                utf8("--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"x.png\"\r\n\r\n"),
                image,
                utf8("\r\n--b--\r\n"));
        assertThat(TestServer.json(server.post(
                        "/explain?class=" + other, form, "Content-Type", "multipart/form-data; boundary=b")))
                .isEqualTo(answer);
    }

    @Test
    void a_picture_is_sent_if_the_address_or_the_header_asks_for_it() throws Exception {
        HttpResponse<byte[]> byAddress = server.post("/explain?format=png", SmallModels.image(1));
        assertThat(byAddress.headers().firstValue("Content-Type")).contains("image/png");
        BufferedImage picture = ImageIO.read(new ByteArrayInputStream(byAddress.body()));
        assertThat(picture.getWidth()).isEqualTo(picture.getHeight()).isGreaterThan(16);
        assertThat(server.post("/explain", SmallModels.image(1), "Accept", "image/png")
                        .body())
                .isEqualTo(byAddress.body());
    }

    @Test
    void wrong_requests_are_refused_with_what_to_do() throws Exception {
        byte[] image = SmallModels.image(1);
        HttpResponse<byte[]> noClass = server.post("/explain?class=moons", image);
        assertThat(noClass.statusCode()).isEqualTo(400);
        assertThat(text(noClass)).contains("has no such class");
        HttpResponse<byte[]> noFormat = server.post("/explain?format=gif", image);
        assertThat(noFormat.statusCode()).isEqualTo(400);
        assertThat(text(noFormat)).contains("format must be json or png");
        assertThat(server.post("/explain", new byte[] {1, 2, 3}).statusCode()).isEqualTo(415);
        assertThat(server.post("/explain?model=nobody", image).statusCode()).isEqualTo(404);
        assertThat(server.get("/explain").statusCode()).isEqualTo(405);
    }

    @Test
    void a_model_without_gradients_says_which_model_to_serve(@TempDir Path folder) throws Exception {
        Path exported = folder.resolve("model.onnx");
        gramian("export", SmallModels.first(), "--onnx", exported).succeeded();
        try (TestServer onnx = TestServer.start(
                settings -> TestServer.with(settings, List.of(new ModelSpec("portable", "1", exported))))) {
            HttpResponse<byte[]> refused = onnx.post("/explain", SmallModels.image(1));
            assertThat(refused.statusCode()).isEqualTo(501);
            assertThat(text(refused)).contains("use the model.gramian that it was exported from");
            assertThat(onnx.post("/predict", SmallModels.image(1)).statusCode()).isEqualTo(200);
        }
    }
}
