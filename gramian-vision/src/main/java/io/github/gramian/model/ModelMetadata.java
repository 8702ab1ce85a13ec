package io.github.gramian.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.internal.PreprocessingKey;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.linalg.internal.UpperTriangle;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.model.internal.ModelDescription;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The metadata of a model file: texts by name, most of them JSON, guarded by a hash over all. */
final class ModelMetadata {

    private static final String KIND = "gramian-model/";
    private static final int VERSION = 1;
    private static final String SUM = "sha256";
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private ModelMetadata() {}

    /** Adds the hash over all metadata. */
    static void seal(Map<String, String> metadata) {
        metadata.put(SUM, sumOf(metadata));
    }

    private static String sumOf(Map<String, String> metadata) {
        Map<String, String> all = new TreeMap<>(metadata);
        all.remove(SUM);
        return Sha256.of(all.toString());
    }

    /** Everything but the hashes, as stored in the file. */
    static Map<String, String> of(ModelDescription description) {
        Map<String, String> metadata = new TreeMap<>();
        metadata.put("format", KIND + VERSION);
        metadata.put("network", ConfigJson.toText(description.network()));
        metadata.put("inputChannels", json(description.inputChannels()));
        metadata.put("classes", json(description.classes()));
        metadata.put("backbone", ConfigJson.toText(description.backbone()));
        metadata.put(
                "preprocessing",
                json(description.preprocessing().stream()
                        .map(Preprocessing::identity)
                        .toList()));
        metadata.put("vectorisationOrder", Integer.toString(UpperTriangle.ORDER_VERSION));
        description.passport().ifPresent(passport -> metadata.put("passport", json(passport)));
        metadata.put("provenance", json(description.provenance()));
        return metadata;
    }

    private static String json(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("plain lists and maps always become JSON", impossible);
        }
    }

    /** Refuses what this program cannot read, and what was changed. */
    static void check(Path path, Map<String, String> metadata) throws ModelException {
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

    /** What the metadata says. */
    static ModelDescription description(Map<String, String> metadata) {
        try {
            return new ModelDescription(
                    ConfigJson.fromText(required(metadata, "network"), NetworkConfig.class),
                    JSON.readValue(required(metadata, "inputChannels"), new TypeReference<List<Integer>>() {}),
                    JSON.readValue(required(metadata, "classes"), new TypeReference<List<String>>() {}),
                    ConfigJson.fromText(required(metadata, "backbone"), ModelDescription.BackboneNote.class),
                    Arrays.stream(JSON.readValue(required(metadata, "preprocessing"), String[].class))
                            .map(PreprocessingKey::parse)
                            .toList(),
                    metadata.containsKey("passport")
                            ? Optional.of(JSON.readValue(required(metadata, "passport"), EvaluationProtocol.class))
                            : Optional.empty(),
                    JSON.readValue(required(metadata, "provenance"), new TypeReference<Map<String, String>>() {}));
        } catch (JsonProcessingException wrong) {
            throw new IllegalArgumentException("its metadata cannot be read", wrong);
        }
    }

    private static String required(Map<String, String> metadata, String key) {
        String value = metadata.get(key);
        if (value == null) {
            throw new IllegalArgumentException("it does not say its " + key);
        }
        return value;
    }
}
