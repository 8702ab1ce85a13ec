package io.github.gramian.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.check.Tool;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A headless browser, spoken to through its debugging protocol; it notes complaints and requests of the page. */
public final class Chromium implements AutoCloseable {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Process process;
    private final Path profile;
    private final AtomicInteger number = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final CompletableFuture<WebSocket> socket = new CompletableFuture<>();
    private volatile CompletableFuture<Boolean> loaded = new CompletableFuture<>();
    private String session = "";

    private Chromium(Process process, Path profile) {
        this.process = process;
        this.profile = profile;
    }

    /** Starts it with its own profile, which is deleted when it is closed. */
    public static Chromium start() throws Exception {
        Path profile = Files.createTempDirectory("gramian-chromium");
        Process process = new ProcessBuilder(
                        Tool.CHROMIUM.program().orElseThrow().toString(),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Chromium chromium = new Chromium(process, profile);
        try {
            chromium.connect();
        } catch (Exception e) {
            chromium.close();
            throw e;
        }
        return chromium;
    }

    private void connect() throws Exception {
        WebSocket opened = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create(address()), new Listener())
                .get(30, TimeUnit.SECONDS);
        socket.complete(opened);
        String target = send("Target.createTarget", Map.of("url", "about:blank"))
                .path("targetId")
                .asText();
        session = send("Target.attachToTarget", Map.of("targetId", target, "flatten", true))
                .path("sessionId")
                .asText();
        for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
            send(domain + ".enable", Map.of());
        }
    }

    /** The browser prints its address to its error stream, which a thread then drains. */
    private String address() throws Exception {
        CompletableFuture<String> address = new CompletableFuture<>();
        Thread reader = new Thread(() -> {
            try (BufferedReader lines = process.errorReader()) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    int start = line.indexOf("ws://");
                    if (start >= 0) {
                        address.complete(line.substring(start).strip());
                    }
                }
            } catch (IOException e) {
                address.completeExceptionally(e);
            }
            address.completeExceptionally(new IOException("the browser ended before it listened"));
        });
        reader.setDaemon(true);
        reader.start();
        return address.get(60, TimeUnit.SECONDS);
    }

    /** Opens a file at a width, in light or dark, and waits until it is drawn. */
    public void open(Path file, int width, String scheme) throws Exception {
        open(file.toUri(), width, scheme);
    }

    /** The same with any address. */
    public void open(URI address, int width, String scheme) throws Exception {
        complaints.clear();
        requests.clear();
        send(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", width < 600));
        media("screen", scheme);
        loaded = new CompletableFuture<>();
        send("Page.navigate", Map.of("url", address.toString()));
        loaded.get(60, TimeUnit.SECONDS);
        evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
    }

    void media(String medium, String scheme) throws Exception {
        send(
                "Emulation.setEmulatedMedia",
                Map.of("media", medium, "features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    public JsonNode evaluate(String expression) throws Exception {
        JsonNode answer =
                send("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
        if (answer.has("exceptionDetails")) {
            throw new AssertionError(answer.path("exceptionDetails").toString());
        }
        return answer.path("result").path("value");
    }

    /** Clicks the middle of an element with the mouse, after scrolling to it. */
    public void click(String selector) throws Exception {
        JsonNode at = evaluate("(() => { const e = document.querySelector(" + MAPPER.writeValueAsString(selector)
                + "); if (!e) return null; e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"
                + " return [b.x + b.width / 2, b.y + b.height / 2]; })()");
        if (!at.isArray()) {
            throw new AssertionError("there is no element " + selector);
        }
        drag(List.of(new double[] {at.get(0).asDouble(), at.get(1).asDouble()}));
    }

    /** Presses the mouse at the first point, moves along the others, and releases it at the last one. */
    public void drag(List<double[]> points) throws Exception {
        mouse("mouseMoved", points.get(0), 0);
        mouse("mousePressed", points.get(0), 1);
        for (double[] point : points.subList(1, points.size())) {
            mouse("mouseMoved", point, 1);
        }
        mouse("mouseReleased", points.get(points.size() - 1), 0);
    }

    private void mouse(String type, double[] at, int buttons) throws Exception {
        String button = type.equals("mouseMoved") && buttons == 0 ? "none" : "left";
        send(
                "Input.dispatchMouseEvent",
                Map.of("type", type, "x", at[0], "y", at[1], "button", button, "buttons", buttons, "clickCount", 1));
    }

    /** Presses and releases a key: a character, or a name such as Enter. */
    public void key(String key) throws Exception {
        Map<String, Object> parameters = new HashMap<>(Map.of("key", key));
        if (key.length() == 1) {
            parameters.put("text", key);
        } else if (key.equals("Enter")) {
            parameters.putAll(Map.of("text", "\r", "windowsVirtualKeyCode", 13));
        }
        parameters.put("type", "keyDown");
        send("Input.dispatchKeyEvent", parameters);
        send("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", key));
    }

    /** Types a string into the element that has the focus. */
    public void type(String text) throws Exception {
        send("Input.insertText", Map.of("text", text));
    }

    /** A picture of the whole page, however long. */
    public void screenshot(Path file) throws Exception {
        JsonNode size = send("Page.getLayoutMetrics", Map.of()).path("cssContentSize");
        JsonNode answer = send(
                "Page.captureScreenshot",
                Map.of(
                        "captureBeyondViewport",
                        true,
                        "clip",
                        Map.of(
                                "x",
                                0,
                                "y",
                                0,
                                "width",
                                size.path("width").asDouble(),
                                "height",
                                size.path("height").asDouble(),
                                "scale",
                                1)));
        Files.write(file, Base64.getDecoder().decode(answer.path("data").asText()));
    }

    /** Errors, warnings and messages of the page since it was opened. */
    public List<String> complaints() {
        return List.copyOf(complaints);
    }

    /** Addresses that the page asked for, but for those that carry their content. */
    public List<String> requests() {
        return requests.stream().filter(address -> !address.startsWith("data:")).toList();
    }

    private JsonNode send(String method, Map<String, Object> parameters) throws Exception {
        int id = number.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.put(id, answer);
        Map<String, Object> message = new HashMap<>(Map.of("id", id, "method", method, "params", parameters));
        if (!session.isEmpty()) {
            message.put("sessionId", session);
        }
        socket.get().sendText(MAPPER.writeValueAsString(message), true).get(30, TimeUnit.SECONDS);
        return answer.get(60, TimeUnit.SECONDS);
    }

    private void receive(JsonNode message) {
        CompletableFuture<JsonNode> answer = answers.remove(message.path("id").asInt(-1));
        if (answer != null) {
            if (message.has("error")) {
                answer.completeExceptionally(
                        new IOException(message.path("error").toString()));
            } else {
                answer.complete(message.path("result"));
            }
        }
        JsonNode parameters = message.path("params");
        switch (message.path("method").asText()) {
            case "Page.loadEventFired" -> loaded.complete(true);
            case "Network.requestWillBeSent" ->
                requests.add(parameters.path("request").path("url").asText());
            case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded" ->
                complaints.add(parameters.toString());
            default -> {
                // Other news do not concern us.
            }
        }
    }

    private final class Listener implements WebSocket.Listener {

        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                String whole = text.toString();
                text.setLength(0);
                try {
                    receive(MAPPER.readTree(whole));
                } catch (IOException e) {
                    complaints.add("unreadable: " + e);
                }
            }
            from.request(1);
            return CompletableFuture.completedFuture(null);
        }
    }

    @Override
    public void close() throws InterruptedException {
        List<ProcessHandle> family = new ArrayList<>(process.descendants().toList());
        process.destroy();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        family.forEach(ProcessHandle::destroyForcibly);
        try (Stream<Path> files = Files.walk(profile)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            // A dying process may still write; the system clears its folder of temporary files.
        }
    }
}
