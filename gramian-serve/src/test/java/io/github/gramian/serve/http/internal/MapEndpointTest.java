package io.github.gramian.serve.http.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.fixture.SmallImages;
import io.github.gramian.fixture.SmallMaps;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.serve.http.internal.ServerSettings.HttpLimits;
import io.github.gramian.serve.inference.internal.ModelSpec;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Whole photographs: {@code POST /map}, and {@code POST /predict} for a model of good parts. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MapEndpointTest {

    /** Whole photographs may have this number of pixels: a pixel costs 256 passes. */
    private static final int MAX_PIXELS = 10_000;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private TestServer server;

    @BeforeAll
    void start() throws Exception {
        server = TestServer.start(settings -> TestServer.with(
                settings,
                List.of(
                        new ModelSpec("part", "1", SmallMaps.goodParts()),
                        new ModelSpec("classes", "1", SmallMaps.classes()),
                        new ModelSpec("plain", "1", SmallModels.first())),
                new HttpLimits(
                        settings.http().sizes(),
                        settings.http().connections(),
                        settings.http().times(),
                        256L * MAX_PIXELS)));
    }

    @AfterAll
    void stop() {
        server.close();
    }

    private static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    @Test
    void a_defect_has_a_novelty_and_a_region_but_no_probability() throws Exception {
        byte[] flawed = SmallMaps.flawed(100);
        Reading expected;
        try (BatchPredictor predictor = BatchPredictor.load(SmallMaps.goodParts())) {
            expected = predictor
                    .read(List.of(predictor.prepare(flawed, new ImageDecoder(ImageLimits.DEFAULT))))
                    .get(0);
        }
        JsonNode answer = TestServer.json(server.post("/predict", flawed));
        assertThat(answer.path("class").asText()).isEqualTo("defect");
        assertThat(answer.path("novelty").asDouble())
                .isEqualTo(expected.prediction().novelty().orElseThrow());
        assertThat(answer.has("probability") || answer.has("top")).isFalse();
        JsonNode region = answer.path("region");
        assertThat(region.path("x").asDouble())
                .isEqualTo(expected.prediction().region().orElseThrow().x());
        assertThat(region.path("x").asDouble()).isLessThan(72.0 / SmallMaps.WIDTH);
        assertThat(region.path("x").asDouble() + region.path("width").asDouble())
                .isGreaterThan(72.0 / SmallMaps.WIDTH);
        JsonNode described = TestServer.json(server.post("/describe", flawed)).path("descriptor");
        assertThat(described).hasSize(1);
        assertThat(described.get(0).floatValue()).isEqualTo(expected.descriptor()[0]);
    }

    @Test
    void the_map_of_a_part_has_the_judgement_all_regions_and_the_score() throws Exception {
        byte[] flawed = SmallMaps.flawed(101);
        JsonNode predicted = TestServer.json(server.post("/predict", flawed));
        JsonNode map = TestServer.json(server.post("/map", flawed));
        assertThat(map.path("class")).isEqualTo(predicted.path("class"));
        assertThat(map.path("novelty")).isEqualTo(predicted.path("novelty"));
        assertThat(map.path("regions").get(0)).isEqualTo(predicted.path("region"));
        assertThat(map.path("score").floatValue())
                .isEqualTo(TestServer.json(server.post("/describe", flawed))
                        .path("descriptor")
                        .get(0)
                        .floatValue());
        JsonNode intact = TestServer.json(server.post("/map", SmallMaps.part(3)));
        assertThat(intact.path("class").asText()).isEqualTo("good");
        assertThat(intact.path("regions")).isEmpty();
        assertThat(intact.path("score").floatValue())
                .isLessThan(map.path("score").floatValue());
    }

    @Test
    void the_areas_of_a_map_of_classes_sum_to_the_whole() throws Exception {
        byte[] image = SmallImages.png("rows", 5);
        JsonNode map = TestServer.json(server.post("/map?model=classes", image));
        double sum = map.path("unknown").asDouble();
        for (String name : SmallImages.CLASSES) {
            sum += map.path("areas").path(name).asDouble();
        }
        assertThat(sum).isEqualTo(1, within(1e-9));
        assertThat(map.path("columns").asInt()).isEqualTo(map.path("rows").asInt());
        JsonNode strict = TestServer.json(server.post("/map?model=classes&unknown=0.9", image));
        assertThat(strict.path("unknown").asDouble())
                .isGreaterThan(map.path("unknown").asDouble());
        assertThat(TestServer.json(server.post("/predict?model=classes", image)).has("probability"))
                .isTrue();
    }

    @Test
    void a_picture_is_sent_if_the_address_or_the_header_asks_for_it() throws Exception {
        for (String model : List.of("part", "classes")) {
            HttpResponse<byte[]> byAddress = server.post("/map?format=png&model=" + model, SmallMaps.flawed(102));
            assertThat(byAddress.headers().firstValue("Content-Type")).contains("image/png");
            BufferedImage picture = ImageIO.read(new ByteArrayInputStream(byAddress.body()));
            assertThat((double) picture.getWidth() / picture.getHeight())
                    .isEqualTo((double) SmallMaps.WIDTH / SmallMaps.HEIGHT, within(0.03));
            assertThat(server.post("/map?model=" + model, SmallMaps.flawed(102), "Accept", "image/png")
                            .body())
                    .isEqualTo(byAddress.body());
        }
    }

    @Test
    void the_protocol_gives_a_part_its_label_novelty_and_score() throws Exception {
        JsonNode metadata = TestServer.json(server.get("/v2/models/part"));
        assertThat(metadata.path("outputs").findValuesAsText("name")).containsExactly("label", "descriptor", "novelty");
        byte[] request = request("");
        JsonNode outputs =
                TestServer.json(server.post("/v2/models/part/infer", request)).path("outputs");
        assertThat(outputs.findValuesAsText("name")).containsExactly("label", "descriptor", "novelty");
        assertThat(outputs.get(0).path("data").get(0).asText()).isEqualTo("defect");
        HttpResponse<byte[]> refused =
                server.post("/v2/models/part/infer", request(",\"outputs\":[{\"name\":\"probabilities\"}]"));
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(text(refused)).contains("this model knows good parts only");
    }

    private static byte[] request(String more) {
        return ("{\"inputs\":[{\"name\":\"image\",\"shape\":[1],\"datatype\":\"BYTES\",\"data\":[\""
                        + Base64.getEncoder().encodeToString(SmallMaps.flawed(100)) + "\"]}]" + more + "}")
                .getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void what_does_not_fit_the_model_is_refused_with_what_to_do() throws Exception {
        byte[] image = SmallMaps.part(1);
        HttpResponse<byte[]> plain = server.post("/map?model=plain", image);
        assertThat(plain.statusCode()).isEqualTo(501);
        assertThat(text(plain)).contains("train it again with --map, or with --good for defects");
        HttpResponse<byte[]> explained = server.post("/explain", image);
        assertThat(explained.statusCode()).isEqualTo(501);
        assertThat(text(explained)).contains("it was trained on good parts only");
        HttpResponse<byte[]> unknown = server.post("/predict?unknown=0.05", image);
        assertThat(unknown.statusCode()).isEqualTo(400);
        assertThat(text(unknown)).contains("are for models of classes");
        assertThat(server.post("/map?model=classes&unknown=2", image).statusCode())
                .isEqualTo(400);
        assertThat(server.post("/map", new byte[] {1, 2, 3}).statusCode()).isEqualTo(415);
        assertThat(server.get("/map").statusCode()).isEqualTo(405);
    }

    @Test
    void a_photograph_that_would_take_too_long_is_refused_before_it_is_decoded() throws Exception {
        // The model enlarges the shorter side to 64 pixels.
        BufferedImage narrow = new BufferedImage(2, 400, BufferedImage.TYPE_INT_RGB);
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        ImageIO.write(narrow, "png", png);
        byte[] image = png.toByteArray();
        assertThat(server.post("/predict", image).statusCode()).isEqualTo(413);
        HttpResponse<byte[]> refused = server.post("/map", image);
        assertThat(refused.statusCode()).isEqualTo(413);
        assertThat(text(refused))
                .contains("the whole photograph, which has 819200 pixels", "takes at most " + MAX_PIXELS);
        assertThat(server.post("/predict?model=plain", image).statusCode()).isEqualTo(200);
        assertThat(server.post("/predict?model=classes", image).statusCode()).isEqualTo(200);
    }

    @Test
    void the_smallest_photograph_has_a_map() throws Exception {
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        ImageIO.write(new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB), "png", png);
        for (String model : List.of("part", "classes")) {
            assertThat(server.post("/map?model=" + model, png.toByteArray()).statusCode())
                    .isEqualTo(200);
        }
    }
}
