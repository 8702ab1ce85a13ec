package io.github.gramian.studio;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.check.OwnJvm;
import io.github.gramian.cli.Gramian;
import io.github.gramian.dataset.layout.internal.LabelHistory;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills the command with SIGKILL while a page labels. The long form kills it 50 times. */
class StudioKilledTest {

    private static final int KILLS = Boolean.getBoolean("gramian.test.full") ? 50 : 2;

    @TempDir
    Path folder;

    @Test
    void no_acknowledged_label_is_lost() throws Exception {
        SmallStudio small = SmallStudio.in(folder, 4);
        Map<Integer, String> acknowledged = new HashMap<>();
        List<String> paths = List.of();
        for (int kill = 0; kill < KILLS; kill++) {
            Process process = start(small);
            try (BufferedReader out = process.inputReader()) {
                String address = address(out);
                paths = paths(address);
                labelUntilKilled(process, address, paths.size(), kill, acknowledged);
            } finally {
                process.destroyForcibly().waitFor(30, TimeUnit.SECONDS);
            }
            Map<String, LabelHistory.Entry> stored =
                    LabelHistory.read(small.labels()).newest();
            for (Map.Entry<Integer, String> label : acknowledged.entrySet()) {
                assertThat(Objects.requireNonNull(stored.get(paths.get(label.getKey())))
                                .label())
                        .isEqualTo(label.getValue());
            }
        }
        assertThat(acknowledged).isNotEmpty();
    }

    private Process start(SmallStudio small) throws IOException {
        return OwnJvm.of(Gramian.class, small.words().toArray())
                .redirectError(folder.resolve("err").toFile())
                .start();
    }

    private static String address(BufferedReader out) throws IOException {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith("open ")) {
                return line.substring("open ".length());
            }
        }
        throw new IOException("the studio printed no address");
    }

    private static List<String> paths(String address) throws Exception {
        HttpResponse<String> all = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(address + "api/photographs"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        List<String> paths = new ArrayList<>();
        new ObjectMapper().readTree(all.body()).path("paths").forEach(path -> paths.add(path.asText()));
        return paths;
    }

    /** A photograph whose request had no answer may have either label; it is labelled again in the next round. */
    private static void labelUntilKilled(
            Process process, String address, int photographs, int round, Map<Integer, String> acknowledged)
            throws InterruptedException {
        SplittableRandom random = new SplittableRandom(round);
        int last = random.nextInt(5, 40);
        HttpClient client = HttpClient.newHttpClient();
        for (int i = 0; i < 10_000; i++) {
            int image = random.nextInt(photographs);
            String label = "round " + round + " label " + i;
            String known = acknowledged.remove(image);
            try {
                HttpResponse<String> answer = client.send(
                        HttpRequest.newBuilder(URI.create(address + "api/label"))
                                .POST(HttpRequest.BodyPublishers.ofString(
                                        "{\"images\":[" + image + "],\"label\":\"" + label + "\"}"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                assertThat(answer.statusCode()).as(answer.body() + known).isEqualTo(200);
                acknowledged.put(image, label);
            } catch (IOException e) {
                return; // killed
            }
            if (i == last) {
                Thread killer = new Thread(() -> process.toHandle().destroyForcibly());
                killer.start();
            }
        }
        throw new AssertionError("the studio was not killed");
    }
}
