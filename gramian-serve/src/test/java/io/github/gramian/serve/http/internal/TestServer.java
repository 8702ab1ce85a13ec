package io.github.gramian.serve.http.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.serve.http.internal.ServerSettings.HttpLimits;
import io.github.gramian.serve.inference.internal.Batcher.BatchLimits;
import io.github.gramian.serve.inference.internal.ModelSpec;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** A real server on its own port, and a client for it. */
final class TestServer implements AutoCloseable {

    static final ObjectMapper JSON = new ObjectMapper();

    final GramianServer server;
    final List<String> log = new CopyOnWriteArrayList<>();
    private final String root;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();

    private TestServer(ServerSettings settings) throws IOException {
        this.server = GramianServer.start(settings, log::add);
        this.root = server.address();
    }

    /** With the two small models as two versions of "textures". */
    static TestServer start() throws IOException {
        return start(settings -> settings);
    }

    static TestServer start(UnaryOperator<ServerSettings> change) throws IOException {
        return new TestServer(change.apply(defaults()));
    }

    static ServerSettings defaults() {
        return new ServerSettings(
                List.of(
                        new ModelSpec("textures", "1", SmallModels.second()),
                        new ModelSpec("textures", "2", SmallModels.first())),
                new ServerSettings.Address("127.0.0.1", 0),
                new BatchLimits(8, Duration.ofMillis(5), 32),
                limits(Duration.ofSeconds(20), Duration.ofSeconds(30)),
                new ImageLimits(1 << 20, 4096, 4096, 1 << 20),
                new ServerSettings.Access(Optional.empty(), Optional.empty()),
                new ServerSettings.Features(true, false, false, Duration.ZERO));
    }

    /** The same settings with other parts; a list is one of models. */
    @SuppressWarnings("unchecked")
    static ServerSettings with(ServerSettings old, Object... parts) {
        ServerSettings now = old;
        for (Object part : parts) {
            now = new ServerSettings(
                    part instanceof List<?> models ? (List<ModelSpec>) models : now.models(),
                    part instanceof ServerSettings.Address address ? address : now.address(),
                    part instanceof BatchLimits batch ? batch : now.batch(),
                    part instanceof HttpLimits http ? http : now.http(),
                    part instanceof ImageLimits images ? images : now.images(),
                    part instanceof ServerSettings.Access access ? access : now.access(),
                    part instanceof ServerSettings.Features features ? features : now.features());
        }
        return now;
    }

    static HttpLimits limits(Duration receive, Duration deadline) {
        return new HttpLimits(
                new HttpLimits.Sizes(1 << 20, 8 << 20, 4096),
                64,
                new HttpLimits.Times(receive, Duration.ofSeconds(60), deadline),
                1L << 30);
    }

    URI address(String path) {
        return URI.create(root + path);
    }

    HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, BodyHandlers.ofByteArray());
    }

    HttpResponse<byte[]> get(String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(address(path));
        return send((headers.length == 0 ? request : request.headers(headers)).build());
    }

    HttpResponse<byte[]> post(String path, byte[] body, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(address(path)).POST(BodyPublishers.ofByteArray(body));
        return send((headers.length == 0 ? request : request.headers(headers)).build());
    }

    static JsonNode json(HttpResponse<byte[]> response) throws IOException {
        return JSON.readTree(response.body());
    }

    static float[] floats(JsonNode data) {
        float[] values = new float[data.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = data.get(i).floatValue();
        }
        return values;
    }

    /** Waits until the upkeep of files has run twice: the first of these rounds may have started before this call. */
    void awaitUpkeep() throws InterruptedException {
        long rounds = server.upkeepRounds() + 2;
        while (server.upkeepRounds() < rounds) {
            Thread.sleep(5);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
