package io.github.gramian.serve.http.internal;

import static io.github.gramian.serve.protocol.internal.Requests.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.fixture.SmallModels;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.serve.http.internal.ServerSettings.HttpLimits;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Small files that take long to decode: the short form of {@code .ci/attack decoding}. */
@Timeout(300)
class DecodingDeadlineTest {

    private static final String INFER = "/v2/models/textures/infer";
    private static final Duration DEADLINE = Duration.ofSeconds(1);

    /** Decoding all images of a request takes longer than this by far; a busy machine answers within it. */
    private static final Duration PROMPT = Duration.ofSeconds(5);

    private static TestServer server(long pixelPasses, Duration deadline) throws IOException {
        HttpLimits limits = TestServer.limits(Duration.ofSeconds(20), deadline);
        return TestServer.start(old -> TestServer.with(
                old,
                new HttpLimits(limits.sizes(), limits.connections(), limits.times(), pixelPasses),
                ImageLimits.DEFAULT));
    }

    /** A PNG of one bit per pixel: 3 kB, and about a second to decode. */
    private static byte[] slowPng(int side) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageIO.write(new BufferedImage(side, side, BufferedImage.TYPE_BYTE_BINARY), "png", out);
        return out.toByteArray();
    }

    private static byte[] infer(byte[] image, int times) {
        String one = "\"" + Base64.getEncoder().encodeToString(image) + "\"";
        return utf8("{\"inputs\":[{\"name\":\"image\",\"shape\":[" + times + "],\"datatype\":\"BYTES\",\"data\":["
                + String.join(",", Collections.nCopies(times, one)) + "]}],\"outputs\":[{\"name\":\"label\"}]}");
    }

    /** Status and duration of an answer. */
    private record Outcome(int status, Duration took) {

        static Outcome of(TestServer server, String path, byte[] body) throws Exception {
            long start = System.nanoTime();
            int status = server.post(path, body).statusCode();
            return new Outcome(status, Duration.ofNanos(System.nanoTime() - start));
        }
    }

    private static void assertThatNothingWaits(TestServer server) {
        assertThat(server.server.models().all())
                .allMatch(model -> model.batcher().waiting() == 0);
    }

    @Test
    void a_request_is_answered_at_its_deadline_while_its_images_are_decoded() throws Exception {
        byte[] request = infer(slowPng(6000), 12);
        try (TestServer server = server(Long.MAX_VALUE, DEADLINE)) {
            Outcome outcome = Outcome.of(server, INFER, request);
            assertThat(outcome.status()).isEqualTo(504);
            assertThat(outcome.took()).isBetween(DEADLINE, PROMPT);
            assertThatNothingWaits(server);
            assertThat(server.post("/predict", SmallModels.image(0)).statusCode())
                    .isEqualTo(200);
        } // closing waits until the request has given its model back
    }

    @Test
    void cheap_images_are_answered_while_others_send_slow_ones() throws Exception {
        byte[] slow = slowPng(6000);
        byte[] quick = SmallModels.image(0);
        ExecutorService clients = Executors.newCachedThreadPool();
        try (TestServer server = server(1L << 30, DEADLINE)) {
            List<Future<List<Outcome>>> hostile = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                hostile.add(clients.submit(repeated(server, slow, 3)));
            }
            List<Outcome> honest = repeated(server, quick, 10).call();
            assertThat(honest).allMatch(one -> one.took().compareTo(PROMPT) < 0);
            assertThat(honest).filteredOn(one -> one.status() == 200).hasSizeGreaterThanOrEqualTo(5);
            for (Future<List<Outcome>> client : hostile) {
                assertThat(client.get()).allMatch(one -> one.took().compareTo(PROMPT) < 0);
            }
            assertThatNothingWaits(server);
        } finally {
            clients.shutdownNow();
        }
    }

    private static Callable<List<Outcome>> repeated(TestServer server, byte[] image, int times) {
        return () -> {
            List<Outcome> outcomes = new ArrayList<>();
            for (int i = 0; i < times; i++) {
                outcomes.add(Outcome.of(server, "/predict", image));
            }
            return outcomes;
        };
    }

    @Test
    void a_request_whose_images_take_too_much_work_is_refused_before_they_are_decoded() throws Exception {
        byte[] image = slowPng(1000);
        try (TestServer server = server(2 * 12 * 1_000_000, Duration.ofMinutes(1))) {
            assertThat(server.post(INFER, infer(image, 2)).statusCode()).isEqualTo(200);
            HttpResponse<byte[]> refused = server.post(INFER, infer(image, 3));
            assertThat(refused.statusCode()).isEqualTo(413);
            assertThat(new String(refused.body(), StandardCharsets.UTF_8))
                    .contains("takes about 36000000 pixel passes, but a request may take at most 24000000");
        }
    }

    @Test
    void expensive_requests_leave_half_of_the_queue_to_others() throws Exception {
        try (TestServer server = server(Long.MAX_VALUE, Duration.ofMinutes(1))) {
            int half = TestServer.defaults().batch().queue() / 2;
            HttpResponse<byte[]> refused = server.post(INFER, infer(slowPng(1000), half + 1));
            assertThat(refused.statusCode()).isEqualTo(413);
            assertThat(new String(refused.body(), StandardCharsets.UTF_8))
                    .contains("a request may have at most " + half + " such images");
            assertThat(server.post(INFER, infer(SmallModels.image(0), half + 1)).statusCode())
                    .isEqualTo(200);
        }
    }
}
