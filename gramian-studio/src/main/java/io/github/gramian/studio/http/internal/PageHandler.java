package io.github.gramian.studio.http.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.cli.common.Failure;
import io.github.gramian.serve.http.internal.HttpResult;
import io.github.gramian.studio.project.internal.Pictures;
import io.github.gramian.studio.project.internal.Project;
import io.github.gramian.studio.project.internal.Project.NotReadyException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntSupplier;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;

/**
 * Answers the page of this studio: its files, pictures by their numbers, and calls with JSON. No other page gets in: the path of a
 * request starts with a random token, the host is this machine, and no page of another origin sent it.
 */
final class PageHandler extends Handler.Abstract {

    private static final Logger LOG = System.getLogger("io.github.gramian.studio");

    private static final int TOKEN_BYTES = 24;

    /** The numbers of a million photographs. */
    private static final int MAX_BODY = 8 << 20;

    private static final int MAX_MINUTES = 10_000;

    private static final JsonMapper JSON = new JsonMapper();

    private static final Set<String> FILES = Set.of(
            "icon.svg",
            "page.css",
            "page.js",
            "help.js",
            "curve.js",
            "grid.js",
            "start.js",
            "label.js",
            "check.js",
            "map.js",
            "train.js",
            "sheets.js",
            "review.js");

    /** A report is a page with its own script; its origin is none, so that it cannot call these addresses. */
    private static final String REPORT_POLICY =
            "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src"
                    + " data:";

    private final Project project;
    private final Pictures pictures;
    private final IntSupplier port;
    private final byte[] token;

    /** With a new token. */
    PageHandler(Project project, IntSupplier port) {
        this.project = project;
        this.pictures = project.pictures();
        this.port = port;
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        this.token = Base64.getUrlEncoder().withoutPadding().encode(random);
    }

    String token() {
        return new String(token, StandardCharsets.US_ASCII);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        HttpResult result;
        try {
            Optional<String> path = admit(request, port.getAsInt());
            result = path.isPresent()
                    ? answer(request, path.get())
                    : HttpResult.error(403, "open the address that gramian studio printed");
        } catch (NotReadyException | IllegalArgumentException wrong) {
            result = HttpResult.error(
                    wrong instanceof NotReadyException ? 409 : 400, String.valueOf(wrong.getMessage()));
        } catch (Throwable failure) {
            LOG.log(Level.ERROR, "a request failed", failure);
            result = HttpResult.error(500, Failure.of(failure).line());
        }
        response.getHeaders().put("X-Content-Type-Options", "nosniff");
        response.getHeaders().put("Referrer-Policy", "no-referrer");
        response.getHeaders().put("Cross-Origin-Resource-Policy", "same-origin");
        response.getHeaders().put("Cache-Control", "no-store");
        result.write(response, callback);
        return true;
    }

    /** The path after the token and its slash; empty if the request must be refused. */
    Optional<String> admit(Request request, int port) {
        if (!isOwnHost(request, port) || isForeign(request, port)) {
            return Optional.empty();
        }
        String path = String.valueOf(request.getHttpURI().getPath());
        int slash = path.indexOf('/', 1);
        if (!path.startsWith("/") || slash < 0) {
            return Optional.empty();
        }
        byte[] given = path.substring(1, slash).getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(given, token) ? Optional.of(path.substring(slash + 1)) : Optional.empty();
    }

    /** A page whose own name was made to point to this machine has that name in its requests. */
    private static boolean isOwnHost(Request request, int port) {
        String host = String.valueOf(Request.getServerName(request)).toLowerCase(Locale.ROOT);
        return (host.equals("127.0.0.1") || host.equals("localhost")) && Request.getServerPort(request) == port;
    }

    private static boolean isForeign(Request request, int port) {
        String site = request.getHeaders().get("Sec-Fetch-Site");
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            return true;
        }
        String origin = request.getHeaders().get("Origin");
        return origin != null
                && !origin.equals("http://127.0.0.1:" + port)
                && !origin.equals("http://localhost:" + port);
    }

    private HttpResult answer(Request request, String path) throws IOException {
        String method = request.getMethod();
        if (method.equals("GET")) {
            return get(path, Request.extractQueryParameters(request));
        }
        if (!method.equals("POST")) {
            return HttpResult.error(405, "this address takes GET and POST");
        }
        try (InputStream in = Content.Source.asInputStream(request)) {
            byte[] body = in.readNBytes(MAX_BODY + 1);
            return body.length > MAX_BODY
                    ? HttpResult.error(413, "the body may have at most " + MAX_BODY + " bytes")
                    : post(path, body);
        }
    }

    private HttpResult get(String path, Fields query) throws IOException {
        if (path.isEmpty()) {
            return HttpResult.page(PageHandler.class, "index.html");
        }
        if (FILES.contains(path)) {
            return HttpResult.page(PageHandler.class, path);
        }
        return switch (path) {
            case "api/state" -> HttpResult.ok(project.state());
            case "api/photographs" -> HttpResult.ok(project.all());
            case "api/next" -> HttpResult.ok(project.guidance().next(number(query, "count", 1, 500)));
            case "api/accuracy" -> HttpResult.ok(project.guidance().accuracy());
            case "api/clusters" -> HttpResult.ok(project.guidance().clusters(number(query, "k", 2, 100)));
            case "api/new-class" -> HttpResult.ok(project.guidance().newClass());
            case "api/suspects" -> HttpResult.ok(project.guidance().suspects());
            case "api/predictions" -> HttpResult.ok(project.training().predicted());
            case "api/map" -> HttpResult.ok(project.guidance().map());
            case "report.html" ->
                file(project.training().report(), "text/html; charset=utf-8")
                        .with("Content-Security-Policy", REPORT_POLICY);
            case "leaderboard.html" ->
                file(project.training().leaderboard(), "text/html; charset=utf-8")
                        .with("Content-Security-Policy", REPORT_POLICY);
            case "predictions.csv" ->
                file(project.training().predictions(), "text/csv; charset=utf-8")
                        .with("Content-Disposition", "attachment; filename=\"predictions.csv\"");
            default -> picture(path);
        };
    }

    private HttpResult picture(String path) throws IOException {
        if (path.matches("(thumbnail|photograph)/[0-9]{1,8}")) {
            int image = Integer.parseInt(path.substring(path.indexOf('/') + 1));
            if (image < project.photographs().count()) {
                Optional<byte[]> jpeg = path.startsWith("t") ? pictures.thumbnail(image) : pictures.large(image);
                if (jpeg.isPresent()) {
                    return new HttpResult(
                            200, "image/jpeg", jpeg.get(), Map.of("Cache-Control", "private, max-age=3600"));
                }
            }
        }
        return HttpResult.error(404, "there is nothing at this address");
    }

    private static HttpResult file(Optional<Path> file, String type) throws IOException {
        return file.isPresent()
                ? new HttpResult(200, type, Files.readAllBytes(file.get()), Map.of())
                : HttpResult.error(404, "train a model first");
    }

    private HttpResult post(String path, byte[] body) throws IOException {
        return switch (path) {
            case "api/label" -> {
                JsonNode request = tree(body);
                JsonNode label = request.path("label");
                if (!label.isTextual()) {
                    throw new IllegalArgumentException("label must be a string");
                }
                yield HttpResult.ok(project.label(images(request.path("images")), label.textValue()));
            }
            case "api/undo" -> HttpResult.ok(project.undo());
            case "api/train" -> {
                project.training().start(minutes(tree(body).path("minutes")));
                yield HttpResult.ok(project.state());
            }
            case "api/stop" -> {
                project.training().stop();
                yield HttpResult.ok(project.state());
            }
            case "api/predict" -> {
                project.predict(tree(body).path("folders").asBoolean());
                yield HttpResult.ok(project.state());
            }
            default -> HttpResult.error(404, "there is nothing at this address");
        };
    }

    private static int minutes(JsonNode minutes) {
        int value = minutes.asInt(0);
        if (value < 0 || value > MAX_MINUTES) {
            throw new IllegalArgumentException("minutes must lie in 0.." + MAX_MINUTES);
        }
        return value;
    }

    private static JsonNode tree(byte[] body) {
        try {
            return JSON.readTree(body);
        } catch (IOException e) {
            throw new IllegalArgumentException("the body must be JSON", e);
        }
    }

    private static List<Integer> images(JsonNode list) {
        List<Integer> images = new ArrayList<>();
        if (!list.isArray()) {
            throw new IllegalArgumentException("images must be a list of numbers");
        }
        for (JsonNode image : list) {
            if (!image.isInt()) {
                throw new IllegalArgumentException("images must be a list of numbers");
            }
            images.add(image.intValue());
        }
        return images;
    }

    private static int number(Fields query, String name, int least, int most) {
        String text = String.valueOf(query.getValue(name));
        if (text.matches("[0-9]{1,6}")) {
            int value = Integer.parseInt(text);
            if (value >= least && value <= most) {
                return value;
            }
        }
        throw new IllegalArgumentException(name + " must be a whole number in " + least + ".." + most);
    }
}
