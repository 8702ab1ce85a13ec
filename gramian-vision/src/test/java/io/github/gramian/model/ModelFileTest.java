package io.github.gramian.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.internal.Plan;
import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.layer.Parameter;
import io.github.gramian.model.internal.KnownImages;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.model.internal.TrainingImages;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;

class ModelFileTest extends ModelFileFixture {

    @Test
    void everything_comes_back_to_the_bit() throws IOException {
        try (StoredModel file = StoredModel.open(model);
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
        StoredModel.write(second, description(false), network, name -> new Tensor());
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
        StoredModel.write(
                whole, description(true), network, name -> java.util.Objects.requireNonNull(weights.get(name)));
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
            assertThat(own.predictPixels(image).probabilities())
                    .containsExactly(given.predictPixels(image).probabilities());
            assertThat(own.classes()).isEqualTo(ODD_NAMES);
            assertThat(own.describePixels(image)).hasSize(own.descriptorLength());
            assertThat(own.predictPixels(image).confidence()).isPositive();
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
    void images_that_training_has_used_are_known_by_their_content() throws IOException {
        String one = Sha256.of("one");
        String two = Sha256.of("two");
        Path trained = folder.resolve("trained.gramian");
        StoredModel.write(
                trained,
                description(false),
                network,
                name -> new Tensor(),
                new TrainingImages(KnownImages.of(List.of(one, two, one)), ModelCertainty.none()));
        try (StoredModel file = StoredModel.open(trained)) {
            file.verify();
            KnownImages known = file.knownImages();
            assertThat(known.count()).isEqualTo(2);
            assertThat(known.contains(one)).isTrue();
            assertThat(known.contains(two)).isTrue();
            assertThat(known.contains(Sha256.of("three"))).isFalse();
        }
        try (StoredModel file = StoredModel.open(model)) {
            assertThat(file.knownImages().count()).isZero();
        }
    }

    @Test
    void nothing_half_written_is_left_when_writing_fails() throws IOException {
        Path target = folder.resolve("sub/whole.gramian");
        assertThatThrownBy(() -> StoredModel.write(target, description(true), network, name -> {
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
