package io.github.gramian.train;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.github.gramian.model.ConfigJson;
import io.github.gramian.tensor.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Recipes as YAML. A file says what differs from {@link Recipe#standard}; unknown keys are errors that name the nearest one.
 * A closed set with settings of its own is an object with a {@code kind}, or the kind alone: {@code kernel: linear}.
 */
public final class RecipeFile {

    private static final long MOST_BYTES = 1 << 20;
    private static final int MOST_DEPTH = 20;

    private static final YAMLMapper YAML = new YAMLMapper(YAMLFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MOST_DEPTH).build())
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .build());

    private RecipeFile() {}

    /** The recipe of a file. */
    public static Recipe read(Path file) throws IOException {
        return read(file, List.of());
    }

    /** The recipe of a file with settings of the form {@code stage1.epochs=5} on top. */
    public static Recipe read(Path file, List<String> settings) throws IOException {
        if (Files.size(file) > MOST_BYTES) {
            throw new IllegalArgumentException(file + " is too large for a recipe; is it another file?");
        }
        try {
            return parse(Files.readString(file), settings);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(file + ": " + wrong.getMessage(), wrong);
        }
    }

    /** The recipe of a text with settings on top. */
    public static Recipe parse(String yaml, List<String> settings) {
        try {
            JsonNode given = yaml.isBlank() ? YAML.createObjectNode() : YAML.readTree(yaml);
            if (!given.isObject() && !given.isMissingNode() && !given.isNull()) {
                throw new IllegalArgumentException("a recipe is a list of keys and values such as 'seed: 1'");
            }
            JsonNode tree = overlay(ConfigJson.toTree(Recipe.standard()), given);
            for (String setting : settings) {
                int equals = setting.indexOf('=');
                if (equals < 1) {
                    throw new IllegalArgumentException("'" + setting + "' is no setting; write --set key=value");
                }
                set((ObjectNode) tree, setting.substring(0, equals), YAML.readTree(value(setting, equals)));
            }
            return ConfigJson.fromTree(tree, Recipe.class);
        } catch (JsonProcessingException wrong) {
            throw new IllegalArgumentException("no YAML: " + firstLine(wrong), wrong);
        }
    }

    private static String value(String setting, int equals) {
        String value = setting.substring(equals + 1);
        return value.isEmpty() ? "''" : value;
    }

    private static String firstLine(JsonProcessingException wrong) {
        String message = wrong.getOriginalMessage() == null ? "it cannot be read" : wrong.getOriginalMessage();
        String line = message.lines().findFirst().orElse(message);
        return wrong.getLocation() == null
                ? line
                : line + " (line " + wrong.getLocation().getLineNr() + ")";
    }

    /** The recipe as YAML, complete. */
    public static String text(Recipe recipe) {
        try {
            return YAML.writeValueAsString(ConfigJson.toTree(recipe));
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("a tree always becomes YAML", impossible);
        }
    }

    /** Writes the recipe, complete. */
    public static void write(Path file, Recipe recipe) throws IOException {
        AtomicFile.writeText(file, text(recipe));
    }

    /** What is given on top of what is usual, key by key; elements of a list on top of the usual list's first. */
    private static JsonNode overlay(JsonNode usual, JsonNode given) {
        if (given.isMissingNode() || (given.isNull() && usual.isObject())) {
            return usual;
        }
        if (usual.isObject() && usual.has("kind") && given.isTextual()) {
            return overlay(usual, ((ObjectNode) usual).objectNode().put("kind", given.asText()));
        }
        if (usual.isObject() && given.isObject()) {
            boolean otherKind = given.has("kind") && !given.get("kind").equals(usual.get("kind"));
            ObjectNode merged = otherKind ? ((ObjectNode) usual).objectNode() : usual.deepCopy();
            for (Map.Entry<String, JsonNode> field : given.properties()) {
                JsonNode below = merged.path(field.getKey());
                merged.set(field.getKey(), below.isMissingNode() ? field.getValue() : overlay(below, field.getValue()));
            }
            return merged;
        }
        if (usual.isArray()
                && given.isArray()
                && usual.size() > 0
                && usual.get(0).isObject()) {
            ArrayNode merged = ((ArrayNode) usual).arrayNode();
            given.forEach(element -> merged.add(overlay(usual.get(0), element)));
            return merged;
        }
        return given;
    }

    /** Sets a value at a path such as {@code network.branches.0.size}. */
    private static void set(ObjectNode root, String path, JsonNode value) {
        List<String> steps = new ArrayList<>(List.of(path.split("\\.", -1)));
        String last = steps.remove(steps.size() - 1);
        JsonNode at = root;
        for (String step : steps) {
            JsonNode next = at.isArray() ? at.path(index(step, path)) : at.path(step);
            if (next.isMissingNode() || next.isNull()) {
                throw unknown(at, step, path);
            }
            at = next;
        }
        if (at instanceof ArrayNode list) {
            int index = index(last, path);
            if (!list.has(index)) {
                throw unknown(at, last, path);
            }
            list.set(index, overlay(list.get(index), value));
        } else if (at instanceof ObjectNode object) {
            // A key that is not there yet may belong to the kind; the record itself refuses one that does not.
            JsonNode below = object.path(last);
            object.set(last, below.isMissingNode() ? value : overlay(below, value));
        } else {
            throw unknown(at, last, path);
        }
    }

    private static int index(String step, String path) {
        try {
            return Integer.parseInt(step);
        } catch (NumberFormatException noNumber) {
            throw new IllegalArgumentException(
                    "'" + path + "' goes through a list; name the element by its number, from 0", noNumber);
        }
    }

    private static IllegalArgumentException unknown(JsonNode at, String step, String path) {
        List<String> known = new ArrayList<>();
        at.fieldNames().forEachRemaining(known::add);
        return new IllegalArgumentException(
                "unknown key '" + step + "' in '" + path + "'; " + ConfigJson.nearest(step, known));
    }
}
