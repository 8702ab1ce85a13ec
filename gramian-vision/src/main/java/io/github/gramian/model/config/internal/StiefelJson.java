package io.github.gramian.model.config.internal;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.module.SimpleModule;
import io.github.gramian.manifold.Metric;
import io.github.gramian.manifold.Retraction;
import io.github.gramian.manifold.Stiefel;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;

/**
 * {@code {"metric": "canonical", "retraction": "qr"}}, as Jackson itself would read and write the record. It would ask for all
 * methods of the three types, though, and those compute with tensors: where LibTorch is not installed, there is no such class.
 */
final class StiefelJson {

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
                    .filter(constant -> constant.name().toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT)))
                    .findFirst()
                    .orElseThrow(() -> JsonMappingException.wrapWithPath(
                            InvalidFormatException.from(in, "not one of them", name, type), Stiefel.class, key));
        }
    }
}
