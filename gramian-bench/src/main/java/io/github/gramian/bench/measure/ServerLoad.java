package io.github.gramian.bench.measure;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Images posted to a running server.
 *
 * @param address of the server's method, such as {@code http://127.0.0.1:8080/predict}
 * @param images encoded, posted in turn
 * @param time for how long; requests that are under way then are waited for
 */
public record ServerLoad(URI address, List<byte[]> images, Duration time) {

    /**
     * Requests that were answered with one status; latencies in milliseconds.
     *
     * @param status of HTTP, or −1 for no answer
     * @param count of them
     * @param perSecond of them
     * @param p50 half of them took no longer
     * @param p99 99 % of them took no longer
     * @param p999 99.9 % of them took no longer
     * @param longest of all
     */
    public record Answers(
            int status, int count, double perSecond, double p50, double p99, double p999, double longest) {}

    /** More requests without an answer than this would measure the client. */
    private static final int MAX_UNDER_WAY = 4096;

    public ServerLoad {
        images = List.copyOf(images);
        if (images.isEmpty()) {
            throw new IllegalArgumentException("a load needs at least 1 image");
        }
        if (time.isZero() || time.isNegative()) {
            throw new IllegalArgumentException("a load needs a time above 0 but is given " + time.toMillis() + " ms");
        }
    }

    /** The given number of clients, each of which posts its next image when the last one is answered. */
    public List<Answers> byClients(int clients) throws InterruptedException {
        if (clients < 1) {
            throw new IllegalArgumentException("a load needs at least 1 client but is given " + clients);
        }
        Latencies latencies = new Latencies();
        AtomicInteger next = new AtomicInteger();
        // A connection each, as clients on other machines have. The first takes a while to make: the clock starts
        // later.
        List<HttpClient> connections =
                Stream.generate(ServerLoad::client).limit(clients).toList();
        long end = System.nanoTime() + time.toNanos();
        List<Thread> running = new ArrayList<>();
        for (int c = 0; c < clients; c++) {
            HttpClient http = connections.get(c);
            Thread thread = new Thread(
                    () -> {
                        while (System.nanoTime() < end) {
                            long start = System.nanoTime();
                            latencies.add(send(http, request(next.getAndIncrement())), System.nanoTime() - start);
                        }
                    },
                    "client-" + c);
            thread.setDaemon(true);
            thread.start();
            running.add(thread);
        }
        for (Thread thread : running) {
            thread.join();
        }
        return latencies.over(time);
    }

    /**
     * The given number of requests per second, whether or not those before are answered. A latency counts from the moment at which the
     * request was due.
     */
    public List<Answers> atRate(double perSecond) {
        if (!(perSecond > 0 && perSecond < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("the rate must be above 0 requests per second but is " + perSecond);
        }
        Latencies latencies = new Latencies();
        HttpClient http = client();
        List<CompletableFuture<?>> underWay = new ArrayList<>();
        long start = System.nanoTime();
        long requests = (long) (perSecond * time.toNanos() / 1e9);
        for (int i = 0; i < requests; i++) {
            long due = start + (long) (i * 1e9 / perSecond);
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            underWay.removeIf(CompletableFuture::isDone);
            if (underWay.size() >= MAX_UNDER_WAY) {
                throw new IllegalStateException(
                        MAX_UNDER_WAY + " requests are without an answer; measure at a lower rate");
            }
            underWay.add(http.sendAsync(request(i), BodyHandlers.discarding())
                    .handle((answer, failure) -> failure == null ? answer.statusCode() : Latencies.FAILED)
                    .thenAccept(status -> latencies.add(status, System.nanoTime() - due)));
        }
        CompletableFuture.allOf(underWay.toArray(CompletableFuture[]::new)).join();
        return latencies.over(time);
    }

    private HttpRequest request(int number) {
        return HttpRequest.newBuilder(address)
                .POST(BodyPublishers.ofByteArray(images.get(Math.floorMod(number, images.size()))))
                .build();
    }

    private static HttpClient client() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    private static int send(HttpClient http, HttpRequest request) {
        try {
            HttpResponse<Void> answer = http.send(request, BodyHandlers.discarding());
            return answer.statusCode();
        } catch (IOException e) {
            return Latencies.FAILED;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Latencies.FAILED;
        }
    }

    /** How long requests have taken, by the status of their answer. Safe for use by many threads. */
    private static final class Latencies {

        /** Replaces the status if there was no response. */
        static final int FAILED = -1;

        private final Map<Integer, List<Long>> nanos = new TreeMap<>();

        synchronized void add(int status, long took) {
            nanos.computeIfAbsent(status, first -> new ArrayList<>()).add(took);
        }

        /** One entry for each status, in their order. */
        synchronized List<Answers> over(Duration time) {
            return nanos.entrySet().stream()
                    .map(entry -> answers(entry.getKey(), entry.getValue(), time))
                    .toList();
        }

        private static Answers answers(int status, List<Long> nanos, Duration time) {
            double[] millis =
                    nanos.stream().mapToDouble(one -> one / 1e6).sorted().toArray();
            return new Answers(
                    status,
                    millis.length,
                    1e9 * millis.length / time.toNanos(),
                    quantile(millis, 0.5),
                    quantile(millis, 0.99),
                    quantile(millis, 0.999),
                    millis[millis.length - 1]);
        }

        /** The smallest that at least this share of them does not exceed. */
        static double quantile(double[] sorted, double share) {
            return sorted[(int) Math.max(0, Math.ceil(share * sorted.length) - 1)];
        }
    }
}
