package io.github.gramian.tensor.safetensors.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.github.gramian.json.internal.Json;
import io.github.gramian.tensor.internal.TensorType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The content of a safetensors header, checked: known types, shapes whose product fits their bytes, and tensors that cover the
 * data section exactly, without gap or overlap. Nothing is allocated before it is checked.
 */
record SafetensorsHeader(Map<String, TensorEntry> entries, Map<String, String> metadata) {

    /** Bytes before the header that store its length. */
    static final int PREFIX = 8;

    /** Far above any real header (a network of 10,000 tensors needs 1 MB), and what other readers allow too. */
    static final long MAX_HEADER_BYTES = 100_000_000;

    /** Far above any real file, which has hundreds or thousands. */
    private static final int MAX_TENSORS = 1 << 16;

    private static final int MAX_DIMENSIONS = 16;
    private static final int MAX_NAME = 4096;

    /** The name that the format reserves for metadata. */
    static final String METADATA = "__metadata__";

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(4)
                    .maxNumberLength(20)
                    .maxNameLength(MAX_NAME)
                    .maxStringLength(1 << 24)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    static SafetensorsHeader parse(ByteBuffer utf8, long dataBytes) throws IOException {
        List<TensorEntry> entries = new ArrayList<>();
        Map<String, String> metadata = new TreeMap<>();
        try (JsonParser json = JSON.createParser(decode(utf8))) {
            expect(json.nextToken(), JsonToken.START_OBJECT, "the header");
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                expect(json.nextToken(), JsonToken.START_OBJECT, "'" + name + "'");
                if (name.equals(METADATA)) {
                    readMetadata(json, metadata);
                } else {
                    if (entries.size() == MAX_TENSORS) {
                        throw new SafetensorsException(
                                "the header has more than " + MAX_TENSORS + " tensors, more than any model");
                    }
                    entries.add(readEntry(json, name));
                }
            }
            if (json.nextToken() != null) {
                throw new SafetensorsException("there is data after the header's closing brace; the file is damaged");
            }
        } catch (JsonProcessingException e) {
            throw new SafetensorsException(
                    "the header is not the JSON it must be (" + Json.reason(e)
                            + "); the file is damaged or not a safetensors file",
                    e);
        }
        return new SafetensorsHeader(inFileOrder(entries, dataBytes), metadata);
    }

    private static String decode(ByteBuffer utf8) throws SafetensorsException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
        } catch (CharacterCodingException e) {
            throw new SafetensorsException("the header is not UTF-8 text; the file is not a safetensors file", e);
        }
    }

    private static void readMetadata(JsonParser json, Map<String, String> metadata) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            expect(json.nextToken(), JsonToken.VALUE_STRING, "metadata '" + key + "'");
            metadata.put(key, json.getText());
        }
    }

    private static TensorEntry readEntry(JsonParser json, String name) throws IOException {
        TensorType type = null;
        List<Long> shape = null;
        List<Long> place = null;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            JsonToken value = json.nextToken();
            switch (field) {
                case "dtype" -> {
                    expect(value, JsonToken.VALUE_STRING, "dtype of '" + name + "'");
                    type = type(json.getText(), name);
                }
                case "shape" -> shape = numbers(json, value, MAX_DIMENSIONS, "shape of '" + name + "'");
                case "data_offsets" -> place = numbers(json, value, 2, "data_offsets of '" + name + "'");
                default -> throw new SafetensorsException("tensor '" + name + "' has an unknown field '" + field + "'");
            }
        }
        if (type == null || shape == null || place == null || place.size() != 2) {
            throw new SafetensorsException("tensor '" + name + "' lacks dtype, shape or data_offsets");
        }
        return checked(name, type, shape, place.get(0), place.get(1));
    }

    private static TensorType type(String code, String name) throws SafetensorsException {
        return TensorType.named(code)
                .orElseThrow(() -> new SafetensorsException("tensor '" + name + "' has type " + code
                        + ", which is not read here; convert it to F32, F16 or BF16 first"));
    }

    private static TensorEntry checked(String name, TensorType type, List<Long> shape, long begin, long end)
            throws SafetensorsException {
        long bytes;
        try {
            bytes = type.bytesOf(shape.stream().mapToLong(Long::longValue).toArray());
        } catch (ArithmeticException e) {
            throw new SafetensorsException("the shape of tensor '" + name + "' is impossible: " + shape, e);
        }
        if (end < begin || end - begin != bytes) {
            throw new SafetensorsException("tensor '" + name + "' of shape " + shape + " and type " + type + " needs "
                    + bytes + " bytes but its offsets are " + begin + ".." + end);
        }
        return new TensorEntry(name, type, shape, begin, end);
    }

    /** Ordered by place; every byte of the data belongs to exactly one tensor. */
    private static Map<String, TensorEntry> inFileOrder(List<TensorEntry> entries, long dataBytes)
            throws SafetensorsException {
        // An empty tensor may share its offset with the next one; it must come first.
        entries.sort(Comparator.comparingLong(TensorEntry::begin).thenComparingLong(TensorEntry::end));
        Map<String, TensorEntry> ordered = new LinkedHashMap<>();
        long covered = 0;
        for (TensorEntry entry : entries) {
            if (entry.begin() != covered) {
                throw new SafetensorsException("tensor '" + entry.name() + "' begins at " + entry.begin()
                        + " instead of " + covered + ": tensors overlap or leave a gap; the file is damaged");
            }
            covered = entry.end();
            ordered.put(entry.name(), entry);
        }
        if (covered != dataBytes) {
            throw new SafetensorsException("the header describes " + covered + " bytes of data but the file has "
                    + dataBytes + "; it is incomplete or damaged: download it again");
        }
        return ordered;
    }

    private static List<Long> numbers(JsonParser json, JsonToken first, int most, String what) throws IOException {
        expect(first, JsonToken.START_ARRAY, what);
        List<Long> numbers = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            expect(json.currentToken(), JsonToken.VALUE_NUMBER_INT, what);
            long number = json.getLongValue();
            if (number < 0 || numbers.size() == most) {
                throw new SafetensorsException(what + " must have at most " + most + " values, none negative");
            }
            numbers.add(number);
        }
        return numbers;
    }

    private static void expect(@Nullable JsonToken found, JsonToken due, String what) throws SafetensorsException {
        if (found != due) {
            throw new SafetensorsException(
                    what + " must be " + words(due) + " but is " + words(found) + "; the file is damaged");
        }
    }

    private static String words(@Nullable JsonToken token) {
        if (token == null) {
            return "missing";
        }
        return switch (token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "a list";
            case VALUE_STRING -> "a string";
            case VALUE_NUMBER_INT -> "a whole number";
            case VALUE_NUMBER_FLOAT -> "a fraction";
            default -> "something else";
        };
    }
}
