package io.github.gramian.serve;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Load on a running server from a process of its own: so many clients post the images of a folder, one after the other each,
 * for so many seconds. Prints one object of JSON. {@code ServeLoad ADDRESS IMAGES CLIENTS SECONDS}
 */
public final class ServeLoad {

    private static final int MOST_IMAGES = 256;

    private ServeLoad() {}

    /** What one client has seen: status → latencies in nanoseconds. */
    private static final class Client extends Thread {

        private final Map<Integer, List<Long>> seen = new TreeMap<>();
        private final HttpClient http =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        private final URI address;
        private final List<byte[]> images;
        private final int first;
        private final long end;

        Client(URI address, List<byte[]> images, int first, long end) {
            this.address = address;
            this.images = images;
            this.first = first;
            this.end = end;
        }

        @Override
        public void run() {
            for (int i = first; System.nanoTime() < end; i++) {
                long start = System.nanoTime();
                int status;
                try {
                    status = http.send(
                                    HttpRequest.newBuilder(address)
                                            .POST(BodyPublishers.ofByteArray(images.get(i % images.size())))
                                            .build(),
                                    BodyHandlers.discarding())
                            .statusCode();
                } catch (IOException failed) {
                    status = -1;
                } catch (InterruptedException stopped) {
                    return;
                }
                seen.computeIfAbsent(status, first -> new ArrayList<>()).add(System.nanoTime() - start);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<byte[]> images = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of(arguments[1]))) {
            for (Path file : files.filter(Files::isRegularFile)
                    .sorted()
                    .limit(MOST_IMAGES)
                    .toList()) {
                images.add(Files.readAllBytes(file));
            }
        }
        int clients = Integer.parseInt(arguments[2]);
        double seconds = Double.parseDouble(arguments[3]);
        long end = System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        List<Client> running = new ArrayList<>();
        for (int c = 0; c < clients; c++) {
            running.add(new Client(URI.create(arguments[0]), images, 7 * c, end));
        }
        running.forEach(Thread::start);
        Map<Integer, List<Long>> all = new TreeMap<>();
        for (Client client : running) {
            client.join();
            client.seen.forEach((status, times) ->
                    all.computeIfAbsent(status, first -> new ArrayList<>()).addAll(times));
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("clients", clients);
        all.forEach((status, times) -> report.put(Integer.toString(status), summary(times, seconds)));
        System.out.println(new ObjectMapper().writeValueAsString(report));
    }

    private static Map<String, Object> summary(List<Long> times, double seconds) {
        long[] sorted = times.stream().mapToLong(time -> time).sorted().toArray();
        Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("count", sorted.length);
        summary.put("perSecond", Math.round(10 * sorted.length / seconds) / 10.0);
        for (double share : new double[] {0.5, 0.99, 0.999}) {
            long time = sorted[(int) Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
            summary.put("p" + String.valueOf(100 * share).replaceAll("\\.0$", ""), Math.round(time / 1e4) / 100.0);
        }
        summary.put("longest", Math.round(Arrays.stream(sorted).max().orElse(0) / 1e4) / 100.0);
        return summary;
    }
}
