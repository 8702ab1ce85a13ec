package io.github.gramian.model;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.fuzz.FuzzTarget;
import io.github.gramian.fuzz.Scratch;
import io.github.gramian.model.internal.ModelMetadata;
import io.github.gramian.model.internal.StoredModel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Models: whole files, and the description that exported ONNX files carry. Hashes are put right, as a forger would. */
public final class ModelFuzz {

    private static final JsonMapper JSON = new JsonMapper();
    private static final int PREFIX = 8;
    private static final String METADATA = "__metadata__";

    private final Scratch scratch = new Scratch();

    private ModelFuzz() {}

    public static List<FuzzTarget> targets() {
        ModelFuzz here = new ModelFuzz();
        return List.of(
                new FuzzTarget("model", here::files, here::readFile, List.of(ModelException.class)),
                new FuzzTarget(
                        "onnx-description",
                        () -> List.of(ModelMetadata.toJson(ModelMetadata.of(ModelFileFixture.description(false)))
                                .getBytes(StandardCharsets.UTF_8)),
                        ModelFuzz::readDescription,
                        List.of(ModelException.class, IllegalArgumentException.class)));
    }

    private List<byte[]> files() throws IOException {
        Path file = scratch.folder().resolve("seed.gramian");
        try (Network network = ModelFileFixture.randomNetwork()) {
            StoredModel.write(file, ModelFileFixture.description(false), network, name -> {
                throw new IllegalStateException("nobody needs the backbone's " + name);
            });
        }
        return List.of(Files.readAllBytes(file));
    }

    private void readFile(byte[] bytes) throws IOException {
        StoredModel.open(scratch.file("model.gramian", forged(bytes))).close();
    }

    private static byte[] forged(byte[] file) {
        if (file.length < PREFIX) {
            return file;
        }
        long length = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getLong();
        if (length < 0 || length > file.length - PREFIX) {
            return file;
        }
        try {
            if (JSON.readTree(file, PREFIX, (int) length) instanceof ObjectNode header
                    && header.path(METADATA) instanceof ObjectNode metadata) {
                Map<String, String> strings = new TreeMap<>();
                metadata.properties()
                        .forEach(entry ->
                                strings.put(entry.getKey(), entry.getValue().asText()));
                ModelMetadata.seal(strings);
                strings.forEach(metadata::put);
                byte[] sealed = JSON.writeValueAsBytes(header);
                return ByteBuffer.allocate(file.length - (int) length + sealed.length)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(sealed.length)
                        .put(sealed)
                        .put(file, PREFIX + (int) length, file.length - PREFIX - (int) length)
                        .array();
            }
        } catch (IOException e) {
            return file;
        }
        return file;
    }

    /** As the ONNX engine does, in this order. */
    private static void readDescription(byte[] bytes) throws IOException {
        Map<String, String> metadata = ModelMetadata.fromJson(new String(bytes, StandardCharsets.UTF_8));
        ModelMetadata.seal(metadata);
        ModelMetadata.check(Path.of("a.onnx"), metadata);
        ModelMetadata.description(metadata);
    }
}
