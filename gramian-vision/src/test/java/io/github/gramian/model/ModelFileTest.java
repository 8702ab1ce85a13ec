package io.github.gramian.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.internal.Plan;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.Parameter;
import io.github.gramian.linalg.internal.UpperTriangle;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.model.internal.KnownImages;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelFileTest {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final List<String> ODD_NAMES = List.of("a \"quoted\" 'name'", "图片 ümläut", "C:\\new\nline", "");
    private static final NetworkConfig CONFIG = new NetworkConfig(
            List.of(
                    BranchConfig.kernel("res5b", 64, 6, 4),
                    new BranchConfig(
                            "res4b",
                            64,
                            0,
                            false,
                            new AggregatorConfig.Average(),
                            new DescriptorConfig(0, -1, 0.1, Fidelity.EXACT))),
            5);

    @TempDir
    Path folder;

    private final Scope scope = Scope.open();
    private final Network network = randomNetwork();
    private Path model = Path.of("");

    @BeforeEach
    void write_one_without_its_backbone() throws IOException {
        model = folder.resolve("model.gramian");
        ModelFile.write(model, description(false), network, name -> {
            throw new IllegalStateException("nobody needs the backbone's " + name);
        });
    }

    @AfterEach
    void free() {
        network.close();
        scope.close();
    }

    private static Network randomNetwork() {
        Network network = new Network(CONFIG, List.of(512, 256), ODD_NAMES.size(), FLOAT, new Seed(1));
        network.parameters().stream()
                .filter(parameter -> parameter.name().startsWith("classifier") || !parameter.trainable())
                .forEach(parameter -> parameter.assign(new Seed(2)
                        .child(parameter.name())
                        .normal(FLOAT, parameter.value().sizes().vec().get())));
        return network;
    }

    private static ModelDescription description(boolean embedded) {
        return new ModelDescription(
                CONFIG,
                List.of(512, 256),
                ODD_NAMES,
                new ModelDescription.BackboneNote("resnet18-torchvision", "abc", Precision.FLOAT, embedded),
                List.of(Preprocessing.centre(72, 64, Interpolation.BILINEAR, Normalisation.TORCHVISION)),
                Optional.empty(),
                Map.of("date", "today", "recipe", "seed: 1\n"));
    }

    /** Opens, reads every number, and builds the network. */
    private static void use(Path file) throws IOException {
        try (ModelFile open = ModelFile.open(file)) {
            open.verify();
            open.network(FLOAT).close();
        }
    }

    @Test
    void everything_comes_back_to_the_bit() throws IOException {
        try (ModelFile file = ModelFile.open(model);
                Network again = file.network(FLOAT)) {
            file.verify();
            assertThat(file.description()).isEqualTo(description(false));
            for (int i = 0; i < network.parameters().size(); i++) {
                Parameter before = network.parameters().get(i);
                assertThat(again.parameters().get(i).name()).isEqualTo(before.name());
                assertThat(again.parameters().get(i).value().equal(before.value()))
                        .as(before.name())
                        .isTrue();
            }
        }
        Path second = folder.resolve("second.gramian");
        ModelFile.write(second, description(false), network, name -> new Tensor());
        assertThat(Files.mismatch(second, model)).isEqualTo(-1);
    }

    @Test
    void a_model_with_its_backbone_predicts_what_its_parts_do() throws IOException {
        BackboneConfig config = new BackboneConfig(Architecture.RESNET18, Variant.TORCHVISION, 0);
        Map<String, Tensor> weights = new TreeMap<>();
        Plan.of(config)
                .weights()
                .forEach((name, shape) -> weights.put(
                        name,
                        new Seed(3)
                                .child(name)
                                .normal(
                                        FLOAT,
                                        shape.stream()
                                                .mapToLong(Long::longValue)
                                                .toArray())
                                .abs_()
                                .mul_(io.github.gramian.tensor.Scalars.scalar(0.02))));
        Path whole = folder.resolve("whole.gramian");
        ModelFile.write(whole, description(true), network, name -> java.util.Objects.requireNonNull(weights.get(name)));
        byte[] pixels = new byte[80 * 70 * 3];
        java.util.SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) random.nextInt();
        }
        RgbImage image = new RgbImage(80, 70, pixels);
        ConvolutionalBackbone backbone = ConvolutionalBackbone.of(
                config,
                name -> java.util.Objects.requireNonNull(weights.get(name)),
                "test",
                BackboneOptions.frozen(Precision.FLOAT));
        try (Predictor own = Predictor.load(whole);
                Predictor given = Predictor.load(model, backbone)) {
            assertThat(own.predict(image).probabilities())
                    .containsExactly(given.predict(image).probabilities());
            assertThat(own.classes()).isEqualTo(ODD_NAMES);
            assertThat(own.describe(image)).hasSize(own.descriptorLength());
            assertThat(own.predict(image).confidence()).isPositive();
        }
    }

    @Test
    void a_backbone_that_is_not_in_the_file_must_be_given_and_must_match() throws IOException {
        assertThatThrownBy(() -> Predictor.load(model))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("does not hold its backbone resnet18-torchvision");
        try (ConvolutionalBackbone other = ConvolutionalBackbone.random(
                new BackboneConfig(Architecture.RESNET34, Variant.TORCHVISION, 0),
                new Seed(1),
                BackboneOptions.frozen(Precision.FLOAT))) {
            assertThatThrownBy(() -> Predictor.load(model, other))
                    .isInstanceOf(ModelException.class)
                    .hasMessageContaining("resnet18-torchvision, not on resnet34-torchvision");
        }
    }

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

    private Path forged(Map<String, String> words, Predicate<String> kept) throws IOException {
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
                if (kept.test(entry.name())) {
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
        try (ModelFile open = ModelFile.open(incomplete)) {
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
        String network = ConfigJson.toText(CONFIG);
        refuses(Map.of("network", network.replace("\"convolution\":6", "\"convolution\":60000")), "damaged");
        refuses(Map.of("network", network.replace("\"outputDim\":4", "\"outputDim\":5")), "classifier.weight");
        refuses(Map.of("network", network.replace("\"outputDim\":4", "\"outputDim\":-4")), "damaged");
        refuses(Map.of("network", network.replace("res5b", "")), "tap");
        refuses(
                Map.of("network", network.replace("\"kind\":\"rbf\"", "\"kind\":\"java.lang.Runtime\"")),
                "unknown kind");
        refuses(Map.of("inputChannels", "[512, 2000000000]"), "classifier.weight");
        refuses(Map.of("inputChannels", "[512, -256]"), "damaged");
        refuses(Map.of("inputChannels", "[2000000000, 256]"), "branch1.convolution.weight");
        refuses(Map.of("inputChannels", "[512, null]"), "damaged");
        refuses(Map.of("inputChannels", "[512]"), "damaged");
        refuses(Map.of("inputChannels", "{}"), "damaged");
        refuses(Map.of("classes", "[\"one\"]"), "classifier.weight");
        refuses(Map.of("classes", "[null,null,null,null]"), "damaged");
        refuses(Map.of("classes", ""), "does not say its classes");
        refuses(Map.of("preprocessing", "[\"resize=none\"]"), "damaged");
        refuses(Map.of("preprocessing", "[]"), "damaged");
        refuses(Map.of("preprocessing", "[null]"), "damaged");
        refuses(Map.of("provenance", "[]"), "damaged");
        refuses(Map.of("passport", "{\"x\":1}"), "damaged");
        refuses(Map.of("backbone", "{\"name\":\"x\"}"), "damaged");
    }

    @Test
    void a_model_that_asks_for_more_views_than_fit_into_memory_is_refused() throws IOException {
        String network = ConfigJson.toText(CONFIG).replace("\"size\":64", "\"size\":4096");
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
        String twoSizes = ConfigJson.toText(CONFIG).replaceFirst("\"size\":64", "\"size\":96");
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
                "another number of views");
        refuses(Map.of("preprocessing", "[\"" + larger + "\"]"), "makes them [96]");
    }

    @Test
    void images_that_training_has_used_are_known_by_their_content() throws IOException {
        String one = Sha256.of("one");
        String two = Sha256.of("two");
        Path trained = folder.resolve("trained.gramian");
        ModelFile.write(
                trained, description(false), network, name -> new Tensor(), KnownImages.of(List.of(one, two, one)));
        try (ModelFile file = ModelFile.open(trained)) {
            file.verify();
            KnownImages known = file.knownImages();
            assertThat(known.count()).isEqualTo(2);
            assertThat(known.contains(one)).isTrue();
            assertThat(known.contains(two)).isTrue();
            assertThat(known.contains(Sha256.of("three"))).isFalse();
        }
        try (ModelFile file = ModelFile.open(model)) {
            assertThat(file.knownImages().count()).isZero();
        }
    }

    @Test
    void an_unknown_backbone_is_refused() throws IOException {
        String note = ConfigJson.toText(description(true).backbone());
        for (String name : List.of("nobody", "nobody-knows", "resnet18-nobody")) {
            Path file = forged(Map.of("backbone", note.replace("resnet18-torchvision", name)));
            assertThatThrownBy(() -> Predictor.load(file)).isInstanceOf(ModelException.class);
        }
        Path empty = forged(Map.of("backbone", note));
        assertThatThrownBy(() -> Predictor.load(empty))
                .as("says that it holds its backbone, but does not")
                .isInstanceOfAny(ModelException.class, SafetensorsException.class);
    }

    @Test
    void nothing_half_written_is_left_when_writing_fails() throws IOException {
        Path target = folder.resolve("sub/whole.gramian");
        assertThatThrownBy(() -> ModelFile.write(target, description(true), network, name -> {
                    throw new IOException("the source broke");
                }))
                .hasMessageContaining("the source broke");
        try (Stream<Path> left = Files.walk(folder)) {
            assertThat(left.filter(Files::isRegularFile)).containsExactly(model);
        }
    }

    @Test
    void weights_are_read_without_a_network_by_any_reader_of_safetensors() throws IOException {
        try (SafetensorsFile file = SafetensorsFile.open(model)) {
            float[] saved = HostCopy.floats(file.tensor("network/classifier.bias"));
            assertThat(saved)
                    .containsExactly(HostCopy.floats(
                            network.classifier().parameters().get(1).value()));
        }
    }
}
