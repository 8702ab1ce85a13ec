package io.github.gramian.model.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.internal.PreprocessingKey;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.json.internal.Json;
import io.github.gramian.linalg.internal.UpperTriangle;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.ConfigJson;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The metadata of a model: strings by name, most of them JSON, protected by a hash over all. A safetensors file has them in its
 * header; other formats carry them as one JSON object.
 */
public final class ModelMetadata {

    private static final String KIND = "gramian-model/";
    private static final int VERSION = 1;
    private static final String SUM = "sha256";
    private static final String WEIGHTS_SUM = "weights.sha256";

    /** As in the header of a safetensors file. */
    private static final int MAX_CHARACTERS = 1 << 24;

    private static final JsonMapper JSON = Json.codec().build();
    private static final JsonMapper STRICT = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(1)
                            .maxStringLength(MAX_CHARACTERS)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .build();

    private ModelMetadata() {}

    /** Adds the hash over all metadata. */
    public static void seal(Map<String, String> metadata) {
        metadata.put(SUM, sumOf(metadata));
    }

    private static String sumOf(Map<String, String> metadata) {
        Map<String, String> all = new TreeMap<>(metadata);
        all.remove(SUM);
        return Sha256.of(all.toString());
    }

    /** Everything but the hashes, as stored in the file. */
    public static Map<String, String> of(ModelDescription description) {
        Map<String, String> metadata = new TreeMap<>();
        metadata.put("format", KIND + VERSION);
        metadata.put("network", ConfigJson.toJson(description.network()));
        metadata.put("inputChannels", Json.text(description.inputChannels()));
        metadata.put("classes", Json.text(description.classes()));
        metadata.put("backbone", ConfigJson.toJson(description.backbone()));
        metadata.put(
                "preprocessing",
                Json.text(description.preprocessing().stream()
                        .map(Preprocessing::identity)
                        .toList()));
        metadata.put("vectorisationOrder", Integer.toString(UpperTriangle.ORDER_VERSION));
        description.protocol().ifPresent(protocol -> metadata.put("passport", Json.text(protocol)));
        metadata.put("provenance", Json.text(description.provenance()));
        return metadata;
    }

    /** All metadata, hashes included, as one JSON object. */
    public static String toJson(Map<String, String> metadata) {
        return Json.text(new TreeMap<>(metadata));
    }

    /**
     * The metadata that {@link #toJson} wrote.
     *
     * @throws IllegalArgumentException if it is not an object of strings, or longer than any model's
     */
    public static Map<String, String> fromJson(String text) {
        if (text.length() > MAX_CHARACTERS) {
            throw new IllegalArgumentException(
                    "its metadata have " + text.length() + " characters, more than " + MAX_CHARACTERS);
        }
        try {
            return STRICT.readValue(text, new TypeReference<TreeMap<String, String>>() {});
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("its metadata cannot be read", e);
        }
    }

    /** SHA-256 of the weights, as stored in the metadata. */
    public static String weightsHash(Map<String, String> metadata) {
        return metadata.getOrDefault(WEIGHTS_SUM, "");
    }

    /** Notes the SHA-256 of the weights. */
    public static void putWeightsHash(Map<String, String> metadata, String sum) {
        metadata.put(WEIGHTS_SUM, sum);
    }

    /** Refuses what this program cannot read, and what was changed. */
    public static void check(Path path, Map<String, String> metadata) throws ModelException {
        String format = metadata.getOrDefault("format", "");
        if (!format.startsWith(KIND)) {
            throw new ModelException(path + " is not a model" + (format.isEmpty() ? "" : " but " + format)
                    + "; give the model.gramian of a run");
        }
        String version = format.substring(KIND.length());
        if (!version.equals(Integer.toString(VERSION))) {
            throw new ModelException(path + " has format " + version + " and this program reads " + VERSION
                    + "; install a newer gramian");
        }
        if (!sumOf(metadata).equals(metadata.get(SUM))) {
            throw new ModelException(
                    path + " was changed after it was written (its hash does not match); copy or train it again");
        }
        String order = metadata.getOrDefault("vectorisationOrder", "");
        if (!order.equals(Integer.toString(UpperTriangle.ORDER_VERSION))) {
            throw new ModelException(path + " orders the upper triangle by version " + order + " and this program by "
                    + UpperTriangle.ORDER_VERSION + "; use the version of gramian that wrote it");
        }
    }

    /**
     * The description that the metadata contains.
     *
     * @throws IllegalArgumentException if something is missing or wrong
     */
    public static ModelDescription description(Map<String, String> metadata) {
        try {
            return new ModelDescription(
                    ConfigJson.fromJson(required(metadata, "network"), NetworkConfig.class),
                    JSON.readValue(required(metadata, "inputChannels"), new TypeReference<List<Integer>>() {}),
                    JSON.readValue(required(metadata, "classes"), new TypeReference<List<String>>() {}),
                    ConfigJson.fromJson(required(metadata, "backbone"), ModelDescription.BackboneNote.class),
                    Arrays.stream(JSON.readValue(required(metadata, "preprocessing"), String[].class))
                            .map(PreprocessingKey::parse)
                            .toList(),
                    metadata.containsKey("passport")
                            ? Optional.of(JSON.readValue(required(metadata, "passport"), EvaluationProtocol.class))
                            : Optional.empty(),
                    JSON.readValue(required(metadata, "provenance"), new TypeReference<Map<String, String>>() {}));
        } catch (JsonProcessingException | ArithmeticException e) {
            throw new IllegalArgumentException("its metadata cannot be read", e);
        } catch (NullPointerException e) {
            // Of a null among the lists, or instead of one, which the records refuse.
            throw new IllegalArgumentException("its metadata contain an unexpected null", e);
        }
    }

    private static String required(Map<String, String> metadata, String key) {
        String value = metadata.get(key);
        if (value == null) {
            throw new IllegalArgumentException("it lacks its " + key);
        }
        return value;
    }
}
