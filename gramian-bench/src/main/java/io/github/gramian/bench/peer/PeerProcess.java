package io.github.gramian.bench.peer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.json.internal.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One peer in a Python process. It computes on request, and otherwise waits for its standard input without using the
 * CPU. Every response has a time limit. Closing ends the process, and so does any end of this process.
 */
public final class PeerProcess implements AutoCloseable {

    /** Far longer than a step takes, and shorter than a user would wait. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final int LONGEST_ANSWER = 1 << 16;
    private static final String END = "";

    private final Peer peer;
    private final Process process;
    private final Writer requests;
    private final BlockingQueue<String> answers = new ArrayBlockingQueue<>(4);
    private final Path complaints;
    private final Hello hello;

    /**
     * What a peer reports about itself.
     *
     * @param torch version of PyTorch
     * @param blas file of the library that multiplies its matrices
     */
    public record Hello(String torch, String blas) {}

    private PeerProcess(Peer peer, Process process, Path complaints) {
        this.peer = peer;
        this.process = process;
        this.complaints = complaints;
        this.requests = process.outputWriter(StandardCharsets.UTF_8);
        Thread reader = new Thread(this::listen, "answers of " + peer.script());
        reader.setDaemon(true);
        reader.start();
        JsonNode first = answer();
        this.hello = new Hello(first.path("torch").asText(), first.path("blas").asText());
    }

    /**
     * Starts a peer.
     *
     * @param threads of its engine
     * @param blasThreads of its BLAS, which has its own thread pool
     * @param preload a BLAS that takes the place of the peer's own, or null for its own
     */
    public static PeerProcess start(
            Python.Installed python,
            Peer peer,
            PeerWorkspace workspace,
            int threads,
            int blasThreads,
            @Nullable Path preload)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        python.command(), "-B", workspace.script(peer).toString())
                .redirectError(workspace.complaints(peer).toFile());
        Map<String, String> environment = builder.environment();
        environment.put("OMP_NUM_THREADS", Integer.toString(threads));
        environment.put("OPENBLAS_NUM_THREADS", Integer.toString(blasThreads));
        environment.put("MKL_NUM_THREADS", Integer.toString(blasThreads));
        if (preload != null) {
            environment.put("LD_PRELOAD", preload.toString());
        }
        Process process = builder.start();
        try {
            return new PeerProcess(peer, process, workspace.complaints(peer));
        } catch (PeerException failure) {
            process.destroyForcibly();
            throw failure;
        }
    }

    /** Which PyTorch and which BLAS answered. */
    public Hello hello() {
        return hello;
    }

    /**
     * Hands over the data.
     *
     * @param gradient of the descriptors, or null to let the peer draw one
     * @return dimensions of a descriptor
     */
    public int setUp(
            int threads,
            PeerWorkspace.Values features,
            PeerWorkspace.Values weight,
            PeerWorkspace.@Nullable Values gradient) {
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("do", "setup");
        request.put("threads", threads);
        request.put("features", features);
        request.put("weight", weight);
        if (gradient != null) {
            request.put("gradient", gradient);
        }
        return ask(request).path("length").asInt();
    }

    /** Milliseconds of one forward and backward computation, by the peer's own clock. */
    public double step() {
        return ask(Map.of("do", "step")).path("millis").asDouble(Double.NaN);
    }

    /** One more step, whose descriptors and gradients the peer writes into a directory. */
    public void dump(Path folder) {
        ask(Map.of("do", "dump", "folder", folder.toString()));
    }

    private JsonNode ask(Map<String, Object> request) {
        try {
            requests.write(Json.text(request));
            requests.write('\n');
            requests.flush();
        } catch (IOException e) {
            throw failure("has ended");
        }
        return answer();
    }

    private JsonNode answer() {
        try {
            String line = answers.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (line == null) {
                throw failure("did not answer within " + PATIENCE.toMinutes() + " minutes");
            }
            if (line.equals(END)) {
                throw failure("has ended");
            }
            return Json.parse(line);
        } catch (JsonProcessingException e) {
            throw failure("answered with something other than JSON");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("was interrupted");
        }
    }

    private PeerException failure(String what) {
        String last = "";
        try {
            process.waitFor(1, TimeUnit.SECONDS); // lets the last output arrive
            last = Files.readString(complaints).strip().lines().reduce("", (earlier, later) -> later);
        } catch (IOException | InterruptedException e) {
            last = "";
        }
        return new PeerException(peer.script() + " " + what + (last.isEmpty() ? "" : ": " + last));
    }

    private void listen() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            String line = boundedLine(lines);
            while (line != null) {
                answers.put(line);
                line = boundedLine(lines);
            }
            answers.put(END);
        } catch (IOException e) {
            answers.offer(END);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static @Nullable String boundedLine(Reader in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next >= 0; next = in.read()) {
            if (next == '\n') {
                return line.toString();
            }
            if (line.length() == LONGEST_ANSWER) {
                throw new IOException("a line of more than " + LONGEST_ANSWER + " characters");
            }
            line.append((char) next);
        }
        return null;
    }

    @Override
    public void close() {
        try {
            requests.close(); // the end of its input ends it
        } catch (IOException e) {
            process.destroy();
        }
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
