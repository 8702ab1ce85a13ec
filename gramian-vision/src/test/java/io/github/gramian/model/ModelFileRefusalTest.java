package io.github.gramian.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.io.internal.Sha256;
import io.github.gramian.linalg.internal.UpperTriangle;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;

/** Files that were damaged, forged or are of another kind. */
class ModelFileRefusalTest extends ModelFileFixture {

    @Test
    void a_file_cut_anywhere_is_refused() throws IOException {
        byte[] bytes = Files.readAllBytes(model);
        Path cut = folder.resolve("cut.gramian");
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 60; i++) {
            int length = i < 20 ? i : i < 30 ? bytes.length - 1 - (i - 20) : random.nextInt(bytes.length);
            Files.write(cut, Arrays.copyOf(bytes, length));
            assertThatThrownBy(() -> use(cut))
                    .as("cut to %d of %d bytes", length, bytes.length)
                    .isInstanceOfAny(ModelException.class, SafetensorsException.class);
        }
    }

    @Test
    void every_single_flipped_bit_is_noticed() throws IOException {
        byte[] bytes = Files.readAllBytes(model);
        int header = 8
                + java.nio.ByteBuffer.wrap(bytes)
                        .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                        .getInt();
        Path flipped = folder.resolve("flipped.gramian");
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < 300; i++) {
            // Half of them in the head, which is a small part of the file but has more ways to go wrong.
            int place = random.nextInt(i % 2 == 0 ? header : bytes.length);
            int bit = random.nextInt(8);
            byte[] wrong = bytes.clone();
            wrong[place] ^= (byte) (1 << bit);
            Files.write(flipped, wrong);
            assertThatThrownBy(() -> use(flipped))
                    .as("bit %d of byte %d, '%c'", bit, place, (char) bytes[place])
                    .isInstanceOfAny(ModelException.class, SafetensorsException.class)
                    .satisfies(refused -> assertThat(refused.getMessage()).isNotBlank());
        }
    }

    /** The same tensors with other metadata, and with matching hashes: a forged file. */
    private Path forged(Map<String, String> words) throws IOException {
        return forged(words, name -> true);
    }

    private Path forged(Map<String, String> words, Predicate<String> included) throws IOException {
        Path forged = folder.resolve("forged.gramian");
        try (SafetensorsFile file = SafetensorsFile.open(model)) {
            Map<String, String> metadata = new TreeMap<>(file.metadata());
            words.forEach((key, value) -> {
                if (value.isEmpty()) {
                    metadata.remove(key);
                } else {
                    metadata.put(key, value);
                }
            });
            metadata.remove("sha256");
            metadata.put("sha256", Sha256.of(metadata.toString()));
            Map<String, Tensor> tensors = new TreeMap<>();
            for (var entry : file.entries()) {
                if (included.test(entry.name())) {
                    tensors.put(entry.name(), file.tensor(entry.name()));
                }
            }
            SafetensorsWriter.write(forged, tensors, metadata);
        }
        return forged;
    }

    private void refuses(Map<String, String> words, String... parts) throws IOException {
        Path file = forged(words);
        assertThatThrownBy(() -> use(file))
                .as("%s", words)
                .isInstanceOf(ModelException.class)
                .satisfies(refused -> assertThat(refused.getMessage()).contains(parts));
    }

    @Test
    void a_rewritten_file_without_changes_is_read() throws IOException {
        use(forged(Map.of()));
    }

    @Test
    void a_model_without_one_of_its_tensors_names_it() throws IOException {
        Path incomplete = forged(Map.of(), name -> !name.endsWith("centring.mean"));
        try (StoredModel open = StoredModel.open(incomplete)) {
            assertThatThrownBy(() -> open.network(FLOAT)).hasMessageContaining("centring.mean");
        }
    }

    @Test
    void a_newer_format_asks_for_a_newer_program() throws IOException {
        refuses(Map.of("format", "gramian-model/2"), "format 2", "install a newer gramian");
    }

    @Test
    void another_order_of_the_triangle_is_refused() throws IOException {
        refuses(Map.of("vectorisationOrder", "99"), "version 99", "by " + UpperTriangle.ORDER_VERSION);
    }

    @Test
    void other_files_are_not_models() throws IOException {
        refuses(Map.of("format", "gramian-weights/1"), "is not a model but gramian-weights/1", "model.gramian");
        refuses(Map.of("format", ""), "is not a model;");
        Path text = Files.writeString(folder.resolve("text"), "some text that is long enough to be a header");
        assertThatThrownBy(() -> use(text)).isInstanceOf(ModelException.class);
        assertThatThrownBy(() -> use(folder.resolve("none"))).isInstanceOf(IOException.class);
    }

    @Test
    void a_description_that_does_not_fit_the_tensors_is_refused_before_allocation() throws IOException {
        String network = ConfigJson.toJson(CONFIG);
        refuses(Map.of("network", network.replace("\"convolution\":6", "\"convolution\":60000")), "damaged");
        refuses(Map.of("network", network.replace("\"outputDim\":4", "\"outputDim\":5")), "classifier.weight");
        refuses(Map.of("network", network.replace("\"outputDim\":4", "\"outputDim\":-4")), "damaged");
        refuses(Map.of("network", network.replace("res5b", "")), "tap");
        refuses(
                Map.of("network", network.replace("\"kind\":\"rbf\"", "\"kind\":\"java.lang.Runtime\"")),
                "unknown kind");
        refuses(Map.of("inputChannels", "[512, 60000]"), "classifier.weight");
        refuses(Map.of("inputChannels", "[512, -256]"), "damaged");
        refuses(Map.of("inputChannels", "[60000, 256]"), "branch1.convolution.weight");
        refuses(Map.of("inputChannels", "[512, null]"), "damaged");
        refuses(Map.of("inputChannels", "[512]"), "damaged");
        refuses(Map.of("inputChannels", "{}"), "damaged");
        refuses(Map.of("classes", "[\"one\"]"), "classifier.weight");
        refuses(Map.of("classes", "[null,null,null,null]"), "damaged");
        refuses(Map.of("classes", ""), "lacks its classes");
        refuses(Map.of("preprocessing", "[\"resize=none\"]"), "damaged");
        refuses(Map.of("preprocessing", "[]"), "damaged");
        refuses(Map.of("preprocessing", "[null]"), "damaged");
        refuses(Map.of("provenance", "[]"), "damaged");
        refuses(Map.of("passport", "{\"x\":1}"), "damaged");
        refuses(Map.of("backbone", "{\"name\":\"x\"}"), "damaged");
    }

    /** The memory that they take does not follow from the length of their descriptors. */
    @Test
    void sketches_and_random_encoders_that_are_too_large_are_refused_before_allocation() throws IOException {
        String network = ConfigJson.toJson(CONFIG);
        assertThat(network).contains("{\"kind\":\"average\"}");
        String sketch = network.replace(
                "{\"kind\":\"average\"}", "{\"kind\":\"compact-bilinear\",\"dimension\":256,\"sketchSeed\":1}");
        refuses(Map.of("network", sketch, "inputChannels", "[512, 2000000000]"), "1..65536 channels");
        String encoder = network.replace(
                "{\"kind\":\"average\"}", "{\"kind\":\"random-encoder\",\"hidden\":1,\"encoders\":1024,\"ridge\":1}");
        refuses(Map.of("network", encoder), "'branch2.encoder.W' of 1024 × 1 × 256 values");
    }

    @Test
    void a_model_that_asks_for_more_views_than_fit_into_memory_is_refused() throws IOException {
        String network = ConfigJson.toJson(CONFIG).replace("\"size\":64", "\"size\":4096");
        String line = description(false).preprocessing().get(0).identity();
        String large = line.replace("size=64", "size=4096").replace("short:72", "short:4096");
        refuses(
                Map.of("network", network, "preprocessing", "[\"" + large.replace("centre", "random:1000") + "\"]"),
                "1000 views of 4096 pixels",
                "fewer or smaller views");
        refuses(
                Map.of(
                        "preprocessing",
                        "[\"" + line.replace("centre", "random:1000+random:1000+ten+".repeat(40) + "ten") + "\"]"),
                "views of 64 pixels");
        use(forged(Map.of("network", network, "preprocessing", "[\"" + large + "\"]")));
    }

    @Test
    void preprocessing_that_stands_in_the_place_of_another_is_refused() throws IOException {
        String twoSizes = ConfigJson.toJson(CONFIG).replaceFirst("\"size\":64", "\"size\":96");
        String line = description(false).preprocessing().get(0).identity();
        String larger = line.replace("size=64", "size=96").replace("short:72", "short:108");
        use(forged(Map.of("network", twoSizes, "preprocessing", "[\"" + line + "\",\"" + larger + "\"]")));
        refuses(
                Map.of("network", twoSizes, "preprocessing", "[\"" + larger + "\",\"" + line + "\"]"),
                "[64, 96] pixels a side, in this order, but its preprocessing makes them [96, 64]");
        refuses(
                Map.of(
                        "network",
                        twoSizes,
                        "preprocessing",
                        "[\"" + line.replace("centre", "five") + "\",\"" + larger + "\"]"),
                "number of views differs");
        refuses(Map.of("preprocessing", "[\"" + larger + "\"]"), "makes them [96]");
    }

    @Test
    void an_unknown_backbone_is_refused() throws IOException {
        String note = ConfigJson.toJson(description(true).backbone());
        for (String name : List.of("nobody", "nobody-knows", "resnet18-nobody")) {
            Path file = forged(Map.of("backbone", note.replace("resnet18-torchvision", name)));
            assertThatThrownBy(() -> Predictor.load(file)).isInstanceOf(ModelException.class);
        }
        Path empty = forged(Map.of("backbone", note));
        assertThatThrownBy(() -> Predictor.load(empty))
                .as("claims to hold its backbone, but does not")
                .isInstanceOfAny(ModelException.class, SafetensorsException.class);
    }
}
