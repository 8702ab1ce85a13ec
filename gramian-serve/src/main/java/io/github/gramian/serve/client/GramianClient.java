package io.github.gramian.serve.client;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A client of a model server, with the JDK alone: copy this file into your program. It speaks the Open Inference Protocol with
 * binary tensors, so answers need no JSON reader. Safe for use by many threads.
 *
 * <pre>{@code
 * GramianClient client = GramianClient.of(URI.create("http://127.0.0.1:8080"), "fabrics");
 * GramianClient.Candidate best = client.classify(Files.readAllBytes(photo), 1).get(0);
 * }</pre>
 */
public final class GramianClient {

    private static final String HEADER_LENGTH = "Inference-Header-Content-Length";
    private static final int ATTEMPTS = 5;

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
    private final URI server;
    private final String model;
    private final Optional<String> key;

    private GramianClient(URI server, String model, Optional<String> key) {
        this.server = server;
        this.model = model;
        this.key = key;
    }

    /** One class and its probability. */
    public record Candidate(int index, String label, float probability) {}

    /** The server refused or failed; the message has its reason. */
    public static final class ServerException extends IOException {

        private static final long serialVersionUID = 1L;
        private final int status;

        ServerException(int status, String message) {
            super(status + ": " + message);
            this.status = status;
        }

        /** HTTP's status: 4xx for a request that must be changed, 503 and 504 for one that may work later. */
        public int status() {
            return status;
        }
    }

    /** A client for one model of a server. */
    public static GramianClient of(URI server, String model) {
        return new GramianClient(server, model, Optional.empty());
    }

    /** The same with a key. */
    public GramianClient withKey(String newKey) {
        return new GramianClient(server, model, Optional.of(newKey));
    }

    /** Whether the server takes requests. */
    public boolean isReady() throws InterruptedException {
        try {
            HttpRequest request = HttpRequest.newBuilder(server.resolve("/v2/health/ready"))
                    .timeout(Duration.ofSeconds(10))
                    .build();
            return http.send(request, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    /** The most probable classes of an image, the best first; the image is the content of a file. */
    public List<Candidate> classify(byte[] image, int top) throws IOException, InterruptedException {
        return candidates(infer(image, "probabilities", "\"classification\":" + top + ",", "{}"));
    }

    private static List<Candidate> candidates(ByteBuffer answer) {
        List<Candidate> candidates = new ArrayList<>();
        while (answer.hasRemaining()) {
            byte[] text = new byte[answer.getInt()];
            answer.get(text);
            String[] parts = new String(text, StandardCharsets.UTF_8).split(":", 3);
            candidates.add(new Candidate(Integer.parseInt(parts[1]), parts[2], Float.parseFloat(parts[0])));
        }
        return candidates;
    }

    /** The probabilities of all classes of an image, in the order of the model. */
    public float[] probabilities(byte[] image) throws IOException, InterruptedException {
        return floats(infer(image, "probabilities", "", "{}"));
    }

    /** The descriptor of an image. */
    public float[] describe(byte[] image) throws IOException, InterruptedException {
        return floats(infer(image, "descriptor", "", "{}"));
    }

    /**
     * The classes that an image may belong to, the best first. For images like those of the training, they hold the true class
     * for this share of images. The model must have calibration scores.
     *
     * @param coverage above 0 and below 1, such as 0.9
     */
    public List<Candidate> set(byte[] image, double coverage) throws IOException, InterruptedException {
        return candidates(infer(image, "set", "", "{\"coverage\":" + coverage + "}"));
    }

    /**
     * How unlike the training images an image is, as a p-value: of images like those of the training, 5 % have one below 0.05.
     * The model must have a reference of its training images.
     */
    public double novelty(byte[] image) throws IOException, InterruptedException {
        return infer(image, "novelty", "", "{}").getDouble();
    }

    private static float[] floats(ByteBuffer answer) {
        float[] values = new float[answer.remaining() / Float.BYTES];
        answer.asFloatBuffer().get(values);
        return values;
    }

    /** The bytes of one output. If the queue is full (429), the request is sent again after the time that the server states. */
    private ByteBuffer infer(byte[] image, String output, String parameters, String ofRequest)
            throws IOException, InterruptedException {
        byte[] json = ("{\"parameters\":" + ofRequest
                        + ",\"inputs\":[{\"name\":\"image\",\"shape\":[1],\"datatype\":\"BYTES\",\"parameters\":{"
                        + "\"binary_data_size\":" + (Integer.BYTES + image.length) + "}}],\"outputs\":[{\"name\":\""
                        + output + "\",\"parameters\":{" + parameters + "\"binary_data\":true}}]}")
                .getBytes(StandardCharsets.UTF_8);
        byte[] body = ByteBuffer.allocate(json.length + Integer.BYTES + image.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(json)
                .putInt(image.length)
                .put(image)
                .array();
        HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve("/v2/models/" + model + "/infer"))
                .timeout(Duration.ofMinutes(1))
                .header(HEADER_LENGTH, Integer.toString(json.length))
                .POST(BodyPublishers.ofByteArray(body));
        key.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
        for (int attempt = 1; ; attempt++) {
            HttpResponse<byte[]> response = http.send(request.build(), BodyHandlers.ofByteArray());
            if (response.statusCode() == 200) {
                int header =
                        (int) response.headers().firstValueAsLong(HEADER_LENGTH).orElse(0);
                return ByteBuffer.wrap(response.body(), header, response.body().length - header)
                        .order(ByteOrder.LITTLE_ENDIAN);
            }
            if (response.statusCode() != 429 || attempt == ATTEMPTS) {
                throw new ServerException(response.statusCode(), new String(response.body(), StandardCharsets.UTF_8));
            }
            Thread.sleep(Duration.ofSeconds(
                            response.headers().firstValueAsLong("Retry-After").orElse(1))
                    .toMillis());
        }
    }
}
