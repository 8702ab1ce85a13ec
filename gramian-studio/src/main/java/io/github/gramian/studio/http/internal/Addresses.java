package io.github.gramian.studio.http.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.serve.http.internal.HttpResult;
import io.github.gramian.serve.http.internal.PageFiles;
import io.github.gramian.studio.project.internal.Pictures;
import io.github.gramian.studio.project.internal.Project;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.util.Fields;

/** The addresses below the token: the page, pictures by their numbers, and calls with JSON. */
final class Addresses {

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

    Addresses(Project project) {
        this.project = project;
        this.pictures = project.pictures();
    }

    HttpResult get(String path, Fields query) throws IOException {
        if (path.isEmpty()) {
            return PageFiles.answer(Addresses.class, "index.html");
        }
        if (FILES.contains(path)) {
            return PageFiles.answer(Addresses.class, path);
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

    HttpResult post(String path, byte[] body) throws IOException {
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
