package io.github.gramian.recipe;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import com.fasterxml.jackson.dataformat.yaml.util.StringQuotingChecker;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.json.internal.Json;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.recipe.internal.PackagedText;
import io.github.gramian.recipe.internal.Setting;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.internal.Cpu;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads and writes recipes as YAML. A file lists the settings that differ from {@link Recipe#standard}. Unknown keys are errors that name the nearest one.
 * A closed set with its own settings is an object with a {@code kind}, or just the kind: {@code kernel: linear}.
 */
public final class RecipeFile {

    /** The YAML parser copies a long scalar again and again, so that its cost grows with the square of its length. */
    private static final long MAX_BYTES = 1 << 18;

    private static final int MAX_DEPTH = 20;

    private static final YAMLMapper YAML = YAMLMapper.builder(YAMLFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .build())
                    .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                    .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
                    .stringQuotingChecker(new PlainWords())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final String SEAL = "# CRC-32C of the lines above: ";

    private static final String BACKBONE = "backbone";
    private static final String PRECISION = "precision";

    /** Instead of a precision: the one in which this machine is fastest. */
    private static final String AUTO = "auto";

    private RecipeFile() {}

    /** Omits quotes only where the string is unambiguous. */
    private static final class PlainWords extends StringQuotingChecker.Default {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean needToQuoteValue(String value) {
            return !value.matches("[A-Za-z/][A-Za-z0-9_/.+-]*") || super.needToQuoteValue(value);
        }
    }

    /** The recipe of a file. */
    public static Recipe read(Path file) throws IOException {
        return read(file, List.of());
    }

    /** The recipe of a file with settings of the form {@code stage1.epochs=5} on top. */
    public static Recipe read(Path file, List<String> settings) throws IOException {
        try {
            return parse(bounded(file), settings);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * The recipe stored in a run folder.
     *
     * @throws IllegalArgumentException if it was changed
     */
    public static Recipe readStored(Path file) throws IOException {
        // Bytes that are not UTF-8 become other characters, and the checksum does not match.
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        if (!isSealed(text)) {
            throw new IllegalArgumentException(
                    file + " was changed: its checksum does not match, and the recipe of a run must"
                            + " not change; start another run with: gramian train " + file + " --out ANOTHER");
        }
        try {
            return parse(text, List.of());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    /** Whether a recipe that {@link #keep} wrote was changed later. A recipe of a user has no checksum and is never damaged. */
    public static boolean isDamaged(String text) {
        return text.contains(SEAL) && !isSealed(text);
    }

    private static boolean isSealed(String text) {
        int seal = text.lastIndexOf(SEAL);
        return seal >= 0 && text.substring(seal).equals(SEAL + Checksum.of(text.substring(0, seal)) + "\n");
    }

    /** The content of a YAML file of limited size; a missing node for an empty file. */
    public static JsonNode tree(Path file) throws IOException {
        try {
            return treeOrNothing(bounded(file));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    private static String bounded(Path file) throws IOException {
        if (Files.size(file) > MAX_BYTES) {
            throw new IllegalArgumentException("it is too large for a recipe; is this the right file?");
        }
        try {
            return Files.readString(file);
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("it is not UTF-8 text; save it as UTF-8", e);
        }
    }

    /** The recipe of a YAML string with settings on top. */
    public static Recipe parse(String yaml, List<String> settings) {
        return merged(List.of(treeOrNothing(yaml)), settings);
    }

    /** The recipe of a YAML string that gives every key: the defaults have no defaults. */
    static Recipe complete(String yaml) {
        return recipe(treeOrNothing(yaml));
    }

    /** The recipe that parts give, each on top of those before and the first on top of the default recipe, then settings. */
    public static Recipe merged(List<JsonNode> parts, List<String> settings) {
        JsonNode tree = standard();
        for (JsonNode part : parts) {
            boolean nothing = part.isMissingNode()
                    || part.isNull()
                    || (part.isTextual() && part.asText().isBlank());
            if (!part.isObject() && !nothing) {
                throw new IllegalArgumentException("a recipe is a list of keys and values such as 'seed: 1'");
            }
            tree = nothing ? tree : RecipeOverlay.of(tree, part);
        }
        try {
            for (String setting : settings) {
                int equals = setting.indexOf('=');
                if (equals < 1) {
                    throw new IllegalArgumentException("'" + setting + "' is not a setting; write --set key=value");
                }
                RecipeOverlay.set((ObjectNode) tree, setting.substring(0, equals), setting.substring(equals + 1));
            }
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("this is not YAML: " + reason(e), e);
        }
        return recipe(tree);
    }

    /** The same recipe with another value of one setting. */
    static Recipe with(Recipe recipe, String key, Object value) {
        JsonNode tree = ConfigJson.toTree(recipe);
        try {
            RecipeOverlay.set((ObjectNode) tree, key, Setting.value(value));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(key + ": this is not YAML: " + reason(e), e);
        }
        return recipe(tree);
    }

    /** The default recipe, in which nothing depends on this machine. */
    static JsonNode standard() {
        JsonNode tree = ConfigJson.toTree(Recipe.standard());
        ((ObjectNode) tree.path(BACKBONE)).put(PRECISION, AUTO);
        return tree;
    }

    private static Recipe recipe(JsonNode tree) {
        if (tree.path(BACKBONE) instanceof ObjectNode backbone
                && backbone.path(PRECISION).asText().equals(AUTO)) {
            boolean cpu = backbone.path("device").asText().equals("cpu");
            Precision fastest = cpu ? Cpu.fastestPrecision() : Precision.BFLOAT16;
            backbone.set(PRECISION, ConfigJson.toTree(fastest));
        }
        return ConfigJson.fromTree(tree, Recipe.class);
    }

    /** The content of a YAML string; a missing node for an empty one. */
    public static JsonNode treeOrNothing(String yaml) {
        try {
            return yaml.isBlank() ? MissingNode.getInstance() : tree(yaml);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("this is not YAML: " + reason(e), e);
        }
    }

    /** Aliases are refused: the parser takes them for strings with their names, and expanding them can exhaust memory. */
    static JsonNode tree(String yaml) throws JsonProcessingException {
        try (YAMLParser tokens = YAML.getFactory().createParser(yaml)) {
            while (tokens.nextToken() != null) {
                if (tokens.isCurrentAlias()) {
                    throw new IllegalArgumentException(
                            "line " + tokens.currentLocation().getLineNr() + " refers to an anchor (*"
                                    + tokens.getText() + "); write the value out");
                }
            }
        } catch (JsonProcessingException e) {
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return YAML.readTree(yaml);
    }

    private static String reason(JsonProcessingException wrong) {
        String line = Json.reason(wrong);
        return wrong.getLocation() == null
                ? line
                : line + " (line " + wrong.getLocation().getLineNr() + ")";
    }

    /** The recipe as YAML, complete. */
    public static String text(Recipe recipe) {
        try {
            return YAML.writeValueAsString(ConfigJson.toTree(recipe));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree always becomes YAML", e);
        }
    }

    /** Writes the recipe of a run, complete, with a checksum in its last line. */
    public static void keep(Path file, Recipe recipe) throws IOException {
        String text = text(recipe);
        AtomicFile.writeText(file, text + SEAL + Checksum.of(text) + "\n");
    }

    /** Lays parts of recipes on top of each other, as trees, and single settings such as {@code stage1.epochs=5} on top of those. */
    private static final class RecipeOverlay {

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
            if (base.isArray()
                    && given.isArray()
                    && base.size() > 0
                    && base.get(0).isObject()) {
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

    /** The recipe that all others stand on, read once from a file in the jar: the only place where defaults are written. */
    static final class StandardRecipe {

        static final Recipe RECIPE = RecipeFile.complete(text());

        private StandardRecipe() {}

        /** The file with its remarks. */
        static String text() {
            return PackagedText.nextTo(StandardRecipe.class, "standard.yaml");
        }
    }
}
