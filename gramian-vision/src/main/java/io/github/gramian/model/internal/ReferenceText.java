package io.github.gramian.model.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.json.internal.Json;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;

/**
 * A {@link ModelReference} as a string for formats other than safetensors: a JSON object of arrays by name, each with its type,
 * its shape and its bytes in Base64.
 */
public final class ReferenceText {

    /** Base64 of the largest reference, and the names. */
    private static final int MAX_CHARACTERS = StoredArray.MAX_BYTES / 3 * 4 + (1 << 16);

    private static final JsonMapper STRICT = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(3)
                            .maxStringLength(MAX_CHARACTERS)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private ReferenceText() {}

    /** An array in the string. */
    @SuppressWarnings("ArrayRecordComponent") // only on its way to JSON
    private record Item(String type, long[] shape, String data) {}

    /** A reference as a string of ASCII characters. */
    public static String of(ModelReference reference) {
        Map<String, Item> items = new TreeMap<>();
        reference
                .arrays()
                .forEach((name, array) -> items.put(
                        name,
                        new Item(
                                array.type().name(),
                                array.shape(),
                                Base64.getEncoder().encodeToString(array.bytes()))));
        return Json.text(items);
    }

    /**
     * The reference that {@link #of} wrote.
     *
     * @throws IllegalArgumentException if it is damaged or too large
     */
    public static ModelReference read(String text) {
        if (text.length() > MAX_CHARACTERS) {
            throw new IllegalArgumentException("its reference has " + text.length() + " characters");
        }
        try {
            Map<String, StoredArray> arrays = new TreeMap<>();
            STRICT.readValue(text, new TypeReference<TreeMap<String, Item>>() {})
                    .forEach((name, item) -> arrays.put(name, array(item)));
            return ModelReference.of(arrays);
        } catch (JsonProcessingException | NullPointerException e) {
            throw new IllegalArgumentException("its reference cannot be read", e);
        }
    }

    private static StoredArray array(Item item) {
        return new StoredArray(
                StoredArray.Type.valueOf(item.type()),
                item.shape(),
                Base64.getDecoder().decode(item.data()));
    }
}
