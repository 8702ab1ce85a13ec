package io.github.gramian.recipe;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.model.config.internal.ConfigJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Lays parts of recipes on top of each other, as trees, and single settings such as {@code stage1.epochs=5} on top of those. */
final class RecipeOverlay {

    private RecipeOverlay() {}

    /** The given values on top of the base, key by key; elements of a list on top of the base list's first. */
    static JsonNode of(JsonNode base, JsonNode given) {
        if (given.isMissingNode() || (given.isNull() && base.isObject())) {
            return base;
        }
        if (base.isObject() && base.has("kind") && given.isTextual()) {
            return of(base, ((ObjectNode) base).objectNode().put("kind", given.asText()));
        }
        if (base.isObject() && given.isObject()) {
            boolean otherKind = given.has("kind") && !given.get("kind").equals(base.get("kind"));
            ObjectNode merged = base.deepCopy();
            if (otherKind) { // settings that both kinds have are retained, such as the bandwidth of a kernel
                merged.retain(ConfigJson.keysOfKind(given.get("kind").asText()));
            }
            for (Map.Entry<String, JsonNode> field : given.properties()) {
                JsonNode below = defaults(field.getKey(), merged.path(field.getKey()));
                merged.set(field.getKey(), below.isMissingNode() ? field.getValue() : of(below, field.getValue()));
            }
            return merged;
        }
        if (base.isArray() && given.isArray() && base.size() > 0 && base.get(0).isObject()) {
            ArrayNode merged = ((ArrayNode) base).arrayNode();
            given.forEach(element -> merged.add(of(base.get(0), element)));
            return merged;
        }
        return given;
    }

    /** The default recipe has no transformation; one that is given has these defaults, and its size must be given. */
    private static JsonNode defaults(String key, JsonNode value) {
        if (!key.equals("transforms") || !value.isEmpty()) {
            return value;
        }
        ObjectNode transform = (ObjectNode) ConfigJson.toTree(TransformConfig.to(1));
        transform.remove("outputDim");
        return transform.arrayNode().add(transform);
    }

    /** Sets a value at a path such as {@code network.branches.0.size}. */
    static void set(ObjectNode root, String path, String raw) throws JsonProcessingException {
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
            list.set(index, of(list.get(index), value(list.get(index), raw)));
        } else if (at instanceof ObjectNode object) {
            // A key that is not there yet may belong to the kind; the record itself refuses one that does not.
            JsonNode below = defaults(last, object.path(last));
            JsonNode value = value(below, raw);
            object.set(last, below.isMissingNode() ? value : of(below, value));
        } else {
            throw unknown(at, last, path);
        }
    }

    /**
     * A value on the command line is YAML. If the setting is a string, any other value is taken as a string. There are no
     * comments: a string without quotes is taken as given.
     */
    private static JsonNode value(JsonNode below, String raw) throws JsonProcessingException {
        try {
            JsonNode parsed = RecipeFile.tree(raw.isEmpty() ? "''" : raw);
            boolean quoted = raw.startsWith("'") || raw.startsWith("\"");
            if (parsed.isTextual() && !quoted) {
                return TextNode.valueOf(raw);
            }
            if (!below.isTextual() || parsed.isTextual() || parsed.isNull()) {
                return parsed;
            }
        } catch (JsonProcessingException | IllegalArgumentException e) {
            if (!below.isTextual()) {
                throw e;
            }
        }
        return TextNode.valueOf(raw);
    }

    private static int index(String step, String path) {
        try {
            return Integer.parseInt(step);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "'" + path + "' leads through a list; name the element by its index, from 0", e);
        }
    }

    private static IllegalArgumentException unknown(JsonNode at, String step, String path) {
        if (at.isArray()) {
            return new IllegalArgumentException("'" + path + "' names element " + step + " of a list that has "
                    + at.size() + "; they are numbered from 0");
        }
        List<String> known = new ArrayList<>();
        at.fieldNames().forEachRemaining(known::add);
        return new IllegalArgumentException(
                "unknown key '" + step + "' in '" + path + "'; " + ConfigJson.nearest(step, known));
    }
}
