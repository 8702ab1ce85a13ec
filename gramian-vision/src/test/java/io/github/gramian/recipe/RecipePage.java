package io.github.gramian.recipe;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.github.gramian.model.config.internal.ConfigJson;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** All keys of a recipe as a page: names and types from the records, defaults from the standard recipe, words from Javadoc. */
final class RecipePage {

    private static final String HEAD = """
            <!-- Made by RecipePageTest from the records of a recipe and their Javadoc; change those, then run it with -Dgramian.docs.write=true. -->
            # Recipes, key by key

            This page lists every key of a recipe with its legal values and its default. It is a reference for users who change settings, so it is longer than other pages.
            [Improve the accuracy](improve-accuracy.md) shows which settings to try first.

            A recipe is a YAML file that lists the settings that differ from the defaults. `gramian recipe show` prints all settings, and `gramian recipe check FILE` names errors.
            `--set KEY=VALUE` changes a key for one command: `--set stage1.epochs=20`, `--set network.branches.0.size=448`. The directory [`recipes`](../recipes) contains complete recipes.
            A setting with kinds is an object with the key `kind`, or only the kind if it has no other settings: `kernel: linear`.

            """;

    private static final String VIEWS = """
            ## Crops and augmentations

            These are the legal values of `views.training`, `views.test` (crops), `views.augment` and `views.copies` (augmentations). Join several with `+`, as in `mirror:0.5+erase:0.25`.

            | crop | meaning |
            |---|---|
            | `centre` | one crop from the centre |
            | `five` | four corners and the centre |
            | `ten` | the five crops, and the five mirrored |
            | `whole` | the whole image, squeezed to a square |
            | `random:N` | N crops of the size of a view at random places, N from 1 to 1000 |
            | `random-resized:N:MIN:MAX:ASPECT` | N random crops of MIN to MAX of the image's area (0 < MIN ≤ MAX ≤ 1). Their sides differ by a factor of at most ASPECT (1 to 100) |

            | augmentation | meaning |
            |---|---|
            | `mirror:P` | mirrors left to right with probability P |
            | `jitter:BRIGHTNESS:CONTRAST:SATURATION:HUE` | changes colours at random, by at most these values |
            | `erase:P` | erases a random rectangle with probability P |
            | `corrupt:NAME:SEVERITY` | applies a [corruption](robustness.md) of severity 1 to 5 |
            | `corrupt:NAME,NAME:FROM-TO` | applies a random one of these corruptions, with a random severity in this range |
            """;

    private final StringBuilder page = new StringBuilder(HEAD);
    private final Set<Class<?>> sets = new LinkedHashSet<>();

    static String text() throws IOException {
        RecipePage page = new RecipePage();
        JsonNode standard = RecipeFile.standard();
        page.section("## ", "", Recipe.class, standard);
        Set<Class<?>> written = new LinkedHashSet<>();
        while (written.size() < page.sets.size()) {
            for (Class<?> set : Set.copyOf(page.sets).stream()
                    .sorted((one, other) -> one.getName().compareTo(other.getName()))
                    .toList()) {
                if (written.add(set)) {
                    page.kinds(set);
                }
            }
        }
        return page.page.append(VIEWS).toString().stripTrailing() + "\n";
    }

    /** A section for a record, then one for each record in it. */
    private void section(String level, String path, Class<?> type, JsonNode defaults) throws IOException {
        page.append(level)
                .append(path.isEmpty() ? "The whole" : "`" + path + "`")
                .append("\n\n");
        page.append(Javadoc.of(type).summary()).append("\n\n");
        table(type, defaults);
        below(level, path, type, defaults);
    }

    private void below(String level, String path, Class<?> type, JsonNode defaults) throws IOException {
        for (RecordComponent part : type.getRecordComponents()) {
            if (part.getAccessor().isAnnotationPresent(JsonUnwrapped.class)) {
                continue;
            }
            String key = key(part);
            JsonNode value = defaults.isMissingNode() ? defaults : defaults.path(key);
            Class<?> inner = element(part.getGenericType());
            if (inner.isRecord()) {
                String below = path.isEmpty() ? key : path + "." + key;
                boolean list = part.getType() != inner;
                section(level, below + (list ? "[]" : ""), inner, list ? value.path(0) : value);
            }
        }
    }

    private void table(Class<?> type, JsonNode defaults) throws IOException {
        boolean known = !defaults.isMissingNode();
        page.append(
                known
                        ? "| key | value | default | meaning |\n|---|---|---|---|\n"
                        : "| key | value | meaning |\n|---|---|---|\n");
        rows(type, defaults, known);
        page.append("\n");
    }

    private void rows(Class<?> type, JsonNode defaults, boolean known) throws IOException {
        for (RecordComponent part : type.getRecordComponents()) {
            if (part.getAccessor().isAnnotationPresent(JsonUnwrapped.class)) {
                rows(part.getType(), defaults, known);
                continue;
            }
            Class<?> inner = element(part.getGenericType());
            page.append("| `")
                    .append(key(part))
                    .append("` | ")
                    .append(kind(part, inner))
                    .append(" | ");
            if (known) {
                page.append(shown(defaults.path(key(part)))).append(" | ");
            }
            page.append(meaning(type, part, inner)).append(" |\n");
        }
    }

    private static String meaning(Class<?> type, RecordComponent part, Class<?> inner) throws IOException {
        String described = Javadoc.of(type).parameters().getOrDefault(part.getName(), "");
        if (!inner.isEnum()) {
            return described;
        }
        String constants = Javadoc.constants(inner).entrySet().stream()
                .filter(constant -> !constant.getValue().isEmpty())
                .map(constant ->
                        "`" + constant.getKey() + "`: " + constant.getValue().replaceAll("\\.$", ""))
                .collect(Collectors.joining("; "));
        return constants.isEmpty() ? described : described.isEmpty() ? constants : described + ". " + constants;
    }

    private String kind(RecordComponent part, Class<?> inner) {
        String one;
        if (inner.isEnum()) {
            one = Arrays.stream(inner.getEnumConstants())
                    .map(constant -> "`" + constant.toString().toLowerCase(Locale.ROOT) + "`")
                    .collect(Collectors.joining(", "));
        } else if (ConfigJson.kinds(inner).isEmpty()) {
            one = inner.isRecord() ? "settings" : simple(inner);
        } else {
            sets.add(inner);
            one = "[a kind](#kinds-of-" + title(inner).replace(' ', '-') + ")";
        }
        return part.getType() == inner || inner == Map.class ? one : "list of " + one;
    }

    private void kinds(Class<?> set) throws IOException {
        page.append("## Kinds of ").append(title(set)).append("\n\n");
        page.append(Javadoc.of(set).summary()).append("\n\n");
        for (Map.Entry<String, Class<?>> kind : new TreeMap<>(ConfigJson.kinds(set)).entrySet()) {
            Class<?> member = kind.getValue();
            page.append("### `kind: ").append(kind.getKey()).append("`\n\n");
            page.append(Javadoc.of(member).summary()).append("\n\n");
            if (member.getRecordComponents().length > 0) {
                table(member, MissingNode.getInstance());
                below("#### ", kind.getKey(), member, MissingNode.getInstance());
            }
        }
    }

    /** AggregatorConfig is "aggregator" here. */
    private static String title(Class<?> set) {
        return set.getSimpleName().replace("Config", "").toLowerCase(Locale.ROOT);
    }

    private static String key(RecordComponent part) {
        JsonProperty other = part.getAccessor().getAnnotation(JsonProperty.class);
        return other == null ? part.getName() : other.value();
    }

    private static Class<?> element(Type type) {
        if (type instanceof ParameterizedType some && some.getRawType() == java.util.List.class) {
            return (Class<?>) some.getActualTypeArguments()[0];
        }
        return (Class<?>) (type instanceof ParameterizedType some ? some.getRawType() : type);
    }

    private static String simple(Class<?> type) {
        return switch (type.getSimpleName()) {
            case "String" -> "string";
            case "boolean" -> "`true`, `false`";
            case "int", "long" -> "whole number";
            case "double", "Double" -> "number";
            case "Map" -> "names and strings";
            default -> type.getSimpleName();
        };
    }

    private static String shown(JsonNode value) {
        if (value.isArray() && value.size() > 3) {
            return "`" + value.get(0) + "` … `" + value.get(value.size() - 1) + "`";
        }
        if (value.isObject()) {
            return value.has("kind") ? "`" + value.get("kind").asText() + "`" : "below";
        }
        return value.isArray() && value.size() > 0 && value.get(0).isObject()
                ? "below"
                : "`" + (value.isTextual() && !value.asText().isEmpty() ? value.asText() : value) + "`";
    }
}
