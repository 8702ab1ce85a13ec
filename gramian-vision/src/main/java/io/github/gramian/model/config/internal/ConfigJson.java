package io.github.gramian.model.config.internal;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.InvalidNullException;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.json.internal.Json;
import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.manifold.Metric;
import io.github.gramian.manifold.Retraction;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.CodebookConfig;
import io.github.gramian.model.config.KernelConfig;
import io.github.gramian.model.config.RootConfig;
import io.github.gramian.model.config.TransformConfig.Activation;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Configurations as JSON trees, and back. Closed sets carry their member's name under {@code kind}; unknown keys are errors
 * that name the nearest known one. Reading fills records and calls nothing else.
 */
public final class ConfigJson {

    /** The closed sets and the names of their members in files; these names never change. */
    private static final Map<Class<?>, Map<String, Class<?>>> KINDS = Map.of(
            AggregatorConfig.class,
            Map.ofEntries(
                    Map.entry("spd", AggregatorConfig.SpdMatrix.class),
                    Map.entry("average", AggregatorConfig.Average.class),
                    Map.entry("max", AggregatorConfig.Max.class),
                    Map.entry("compact-bilinear", AggregatorConfig.CompactBilinear.class),
                    Map.entry("fisher", CodebookConfig.Fisher.class),
                    Map.entry("vlad", CodebookConfig.Vlad.class),
                    Map.entry("encoding", CodebookConfig.Encoding.class),
                    Map.entry("random-encoder", CodebookConfig.RandomEncoder.class),
                    Map.entry("custom", AggregatorConfig.Custom.class)),
            KernelConfig.class,
            Map.ofEntries(
                    Map.entry("rbf", KernelConfig.Rbf.class),
                    Map.entry("multi-rbf", KernelConfig.MultiRbf.class),
                    Map.entry("laplacian", KernelConfig.Laplacian.class),
                    Map.entry("polynomial", KernelConfig.Polynomial.class),
                    Map.entry("linear", KernelConfig.Linear.class),
                    Map.entry("covariance", KernelConfig.Covariance.class)),
            RootConfig.class,
            Map.of(
                    "none", RootConfig.None.class,
                    "exact", RootConfig.Exact.class,
                    "newton-schulz", RootConfig.Iterated.class),
            Bandwidth.class,
            Map.of(
                    "per-image", Bandwidth.PerImage.class,
                    "global", Bandwidth.Global.class,
                    "fixed", Bandwidth.Fixed.class),
            Activation.class,
            Map.of(
                    "none", Activation.None.class,
                    "relu", Activation.ElementwiseRelu.class,
                    "reeig", Activation.EigenvalueRectifier.class));

    private static final int LONGEST_WORD = 100;

    private static final JsonMapper MAPPER = mapper();

    private ConfigJson() {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    private interface Kinded {}

    private static JsonMapper mapper() {
        SimpleModule module = new SimpleModule().addSerializer(Enum.class, new LowerCase());
        StiefelJson.register(module);
        JsonMapper.Builder builder = Json.codec()
                .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
                .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .addModule(module)
                .annotationIntrospector(new NothingIsNull());
        KINDS.forEach((set, members) -> {
            builder.addMixIn(set, Kinded.class);
            members.forEach((name, member) -> builder.registerSubtypes(new NamedType(member, name)));
        });
        return builder.build();
    }

    /** Constants in lower case, the same in every locale: Jackson's own feature writes a dotless ı in a Turkish locale. */
    private static final class LowerCase extends JsonSerializer<Object> {
        @Override
        public void serialize(Object constant, JsonGenerator out, SerializerProvider context) throws IOException {
            out.writeString(((Enum<?>) constant).name().toLowerCase(Locale.ROOT));
        }
    }

    /** Components of records must have a value unless they are marked as nullable; elements of lists always. */
    private static final class NothingIsNull extends JacksonAnnotationIntrospector {
        private static final long serialVersionUID = 1L;

        @Override
        public JsonSetter.Value findSetterInfo(Annotated annotated) {
            return nullable(annotated)
                    ? JsonSetter.Value.forValueNulls(Nulls.SET)
                    : JsonSetter.Value.construct(Nulls.FAIL, Nulls.FAIL);
        }

        private static boolean nullable(Annotated annotated) {
            return annotated instanceof AnnotatedParameter parameter
                    && parameter.getDeclaringClass().isRecord()
                    && parameter
                            .getDeclaringClass()
                            .getRecordComponents()[parameter.getIndex()]
                            .getAnnotatedType()
                            .isAnnotationPresent(Nullable.class);
        }
    }

    public static JsonNode toTree(Object config) {
        return MAPPER.valueToTree(config);
    }

    public static String toJson(Object config) {
        return toTree(config).toString();
    }

    /**
     * The record that a tree describes.
     *
     * @throws IllegalArgumentException with the invalid key and what to write instead
     */
    public static <T> T fromTree(JsonNode tree, Class<T> type) {
        new RecordWalk(KINDS).over(tree, type, new UnknownKeys());
        if (tree.isNull() || tree.isMissingNode()) {
            throw new IllegalArgumentException("there is no value; give keys and values");
        }
        try {
            return MAPPER.treeToValue(tree, type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(explained(e), e);
        }
    }

    public static <T> T fromJson(String json, Class<T> type) {
        try {
            return fromTree(MAPPER.readTree(json), type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("this is not JSON: " + Json.reason(e), e);
        }
    }

    private static String explained(JsonProcessingException wrong) {
        if (wrong instanceof InvalidTypeIdException unknown) {
            return unknownKind(unknown);
        }
        if (wrong instanceof InvalidNullException empty) {
            return "'" + path(empty.getPath()) + "' has no value; give one or leave the key out";
        }
        if (wrong instanceof InvalidFormatException format) {
            return wrongValue(format);
        }
        if (wrong instanceof MismatchedInputException mismatch
                && Json.reason(wrong).startsWith("Missing creator")) {
            return "'" + path(mismatch.getPath()) + "' is missing";
        }
        // The message of the record itself is the best explanation.
        if (wrong.getCause() instanceof IllegalArgumentException refused && refused.getMessage() != null) {
            return refused.getMessage();
        }
        String where = wrong instanceof JsonMappingException mapping ? path(mapping.getPath()) : "";
        return (where.isEmpty() ? "" : "'" + where + "': ") + Json.reason(wrong).replaceAll("\\b([a-z]+\\.)+", "");
    }

    private static String wrongValue(InvalidFormatException format) {
        String where = "'" + path(format.getPath()) + "' is '" + format.getValue() + "'; ";
        if (format.getTargetType().isEnum()) {
            List<String> names = Arrays.stream(format.getTargetType().getEnumConstants())
                    .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
                    .toList();
            return where + nearest(String.valueOf(format.getValue()), names);
        }
        return where + "expected " + expected(format.getTargetType());
    }

    private static String expected(Class<?> type) {
        if (type == boolean.class) {
            return "true or false";
        }
        return type == double.class || type == Double.class ? "a number" : "a whole number";
    }

    private static String unknownKind(InvalidTypeIdException unknown) {
        Collection<String> kinds = KINDS.getOrDefault(unknown.getBaseType().getRawClass(), Map.of())
                .keySet();
        String where = "'" + path(unknown.getPath()) + "'";
        return unknown.getTypeId() == null
                ? where + " needs a kind; known are " + kinds.stream().sorted().toList()
                : where + " has the unknown kind '" + unknown.getTypeId() + "'; " + nearest(unknown.getTypeId(), kinds);
    }

    /** The members of a closed set by their names in files; nothing for any other type. */
    public static Map<String, Class<?>> kinds(Class<?> set) {
        return KINDS.getOrDefault(set, Map.of());
    }

    /** The keys of a member of a closed set, by its name; none for a name that is not known. */
    public static Set<String> keysOfKind(String kind) {
        return KINDS.values().stream()
                .filter(members -> members.containsKey(kind))
                .flatMap(members ->
                        Arrays.stream(Objects.requireNonNull(members.get(kind)).getRecordComponents()))
                .map(RecordComponent::getName)
                .collect(Collectors.toUnmodifiableSet());
    }

    private static String path(List<JsonMappingException.Reference> path) {
        return path.stream()
                .map(step -> step.getFieldName() == null ? Integer.toString(step.getIndex()) : step.getFieldName())
                .collect(Collectors.joining("."));
    }

    /** Advice for a word that is not among those known; one that is far longer than any of them is compared with none. */
    public static String nearest(String word, Collection<String> known) {
        Optional<String> best = (word.length() > LONGEST_WORD ? Stream.<String>empty() : known.stream())
                .min(Comparator.<String>comparingInt(candidate -> distance(word, candidate))
                        .thenComparing(Comparator.naturalOrder()));
        if (best.isPresent() && distance(word, best.get()) <= Math.max(2, word.length() / 3)) {
            return "did you mean '" + best.get() + "'?";
        }
        return "known are " + known.stream().sorted().toList();
    }

    /** Levenshtein's: the fewest insertions, deletions and exchanges of a letter. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int exchange = diagonal
                        + (Character.toLowerCase(a.charAt(i - 1)) == Character.toLowerCase(b.charAt(j - 1)) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(exchange, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }

    /**
     * {@code {"metric": "canonical", "retraction": "qr"}}, as Jackson itself would read and write the record. It would ask for all
     * methods of the three types, though, and those compute with tensors: where LibTorch is not installed, there is no such class.
     */
    private static final class StiefelJson {

        private static final String METRIC = "metric";
        private static final String RETRACTION = "retraction";

        private StiefelJson() {}

        static void register(SimpleModule module) {
            module.addSerializer(Stiefel.class, new Writer()).addDeserializer(Stiefel.class, new Reader());
        }

        private static final class Writer extends JsonSerializer<Stiefel> {
            @Override
            public void serialize(Stiefel manifold, JsonGenerator out, SerializerProvider context) throws IOException {
                out.writeStartObject();
                context.defaultSerializeField(METRIC, manifold.metric(), out);
                context.defaultSerializeField(RETRACTION, manifold.retraction(), out);
                out.writeEndObject();
            }
        }

        private static final class Reader extends JsonDeserializer<Stiefel> {
            @Override
            public Stiefel deserialize(JsonParser in, DeserializationContext context) throws IOException {
                JsonNode tree = context.readTree(in);
                return new Stiefel(
                        constant(tree, METRIC, Metric.class, in), constant(tree, RETRACTION, Retraction.class, in));
            }

            private static <E extends Enum<E>> E constant(JsonNode tree, String key, Class<E> type, JsonParser in)
                    throws JsonMappingException {
                String name = tree.path(key).asText("");
                if (!tree.hasNonNull(key)) {
                    throw JsonMappingException.wrapWithPath(
                            MismatchedInputException.from(in, type, "Missing creator property '" + key + "'"),
                            Stiefel.class,
                            key);
                }
                return Arrays.stream(type.getEnumConstants())
                        .filter(constant ->
                                constant.name().toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT)))
                        .findFirst()
                        .orElseThrow(() -> JsonMappingException.wrapWithPath(
                                InvalidFormatException.from(in, "not one of them", name, type), Stiefel.class, key));
            }
        }
    }

    /**
     * Refuses keys that no record has, before anything is read: an error about a misspelt key is clearer than one about the key
     * that is missing in its place.
     */
    private record UnknownKeys() implements RecordWalk.Visitor {

        /** Throws for the first key that does not belong, with the nearest one that does. */
        @Override
        public void visit(ObjectNode tree, Class<?> record, boolean kinded, String path) {
            Set<String> known = RecordWalk.keys(record).stream()
                    .map(RecordWalk::key)
                    .collect(Collectors.toCollection(TreeSet::new));
            if (kinded) {
                known.add("kind");
            }
            for (Map.Entry<String, ?> field : tree.properties()) {
                if (!known.contains(field.getKey())) {
                    throw new IllegalArgumentException("unknown key '" + RecordWalk.join(path, field.getKey()) + "'; "
                            + ConfigJson.nearest(field.getKey(), known));
                }
            }
        }
    }

    /**
     * Goes over a tree and the records that it describes side by side, from the root down.
     *
     * @param kinds closed sets and the names of their members
     */
    private record RecordWalk(Map<Class<?>, Map<String, Class<?>>> kinds) {

        /** Called for every record that the tree describes. */
        interface Visitor {

            /**
             * Called from the root down.
             *
             * @param kinded whether the record is a member of a closed set, so that the tree has a {@code kind}
             * @param path where in the tree this is, such as {@code branches.0}; empty at the root
             */
            void visit(ObjectNode tree, Class<?> record, boolean kinded, String path);
        }

        /** Visits every record; where the tree does not fit its type, nothing. */
        void over(JsonNode tree, Type type, Visitor visitor) {
            over(tree, type, "", visitor);
        }

        private void over(JsonNode tree, Type type, String path, Visitor visitor) {
            if (type instanceof ParameterizedType list && tree.isArray()) {
                for (int i = 0; i < tree.size(); i++) {
                    over(tree.get(i), list.getActualTypeArguments()[0], join(path, Integer.toString(i)), visitor);
                }
            } else if (type instanceof Class<?> set && kinds.containsKey(set)) {
                Class<?> member =
                        kinds.getOrDefault(set, Map.of()).get(tree.path("kind").asText());
                if (member != null) {
                    overRecord(tree, member, true, path, visitor);
                }
            } else if (type instanceof Class<?> record && record.isRecord()) {
                overRecord(tree, record, false, path, visitor);
            }
        }

        private void overRecord(JsonNode tree, Class<?> record, boolean kinded, String path, Visitor visitor) {
            if (tree instanceof ObjectNode object) {
                visitor.visit(object, record, kinded, path);
                for (RecordComponent component : keys(record)) {
                    String key = key(component);
                    over(object.path(key), component.getGenericType(), join(path, key), visitor);
                }
            }
        }

        /** The keys of a record: its components, those that are unwrapped replaced by theirs. */
        static List<RecordComponent> keys(Class<?> record) {
            return Arrays.stream(record.getRecordComponents())
                    .flatMap(component -> component.getAccessor().isAnnotationPresent(JsonUnwrapped.class)
                            ? keys(component.getType()).stream()
                            : Stream.of(component))
                    .toList();
        }

        /** The name of a key: that of its component, unless it is a word of Java such as {@code final}. */
        static String key(RecordComponent component) {
            JsonProperty named = component.getAccessor().getAnnotation(JsonProperty.class);
            return named == null ? component.getName() : named.value();
        }

        static String join(String path, String key) {
            return path.isEmpty() ? key : path + "." + key;
        }
    }
}
