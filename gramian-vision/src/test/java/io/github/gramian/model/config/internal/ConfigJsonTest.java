package io.github.gramian.model.config.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.ProductPrecision;
import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.manifold.Metric;
import io.github.gramian.manifold.Retraction;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.CodebookConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.KernelConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.RootConfig;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.model.config.TransformConfig.Activation;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.tensor.Precision;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ConfigJsonTest {

    static List<NetworkConfig> everyKindOfNetwork() {
        List<KernelConfig> kernels = new ArrayList<>(
                List.of(new KernelConfig.Polynomial(3, 0.5), new KernelConfig.Linear(), new KernelConfig.Covariance()));
        for (Bandwidth bandwidth : List.of(
                new Bandwidth.PerImage(Bandwidth.Gradient.EXACT),
                new Bandwidth.PerImage(Bandwidth.Gradient.CONSTANT),
                new Bandwidth.Global(0.1),
                new Bandwidth.Fixed(1.0 / 3))) {
            kernels.add(new KernelConfig.Rbf(bandwidth));
            kernels.add(new KernelConfig.MultiRbf(bandwidth, List.of(0.5, 1.0, 2.0)));
            kernels.add(new KernelConfig.Laplacian(bandwidth));
        }
        List<TransformConfig> transforms = List.of(
                TransformConfig.to(8),
                new TransformConfig(4, new Stiefel(Metric.EUCLIDEAN, Retraction.QR), new Activation.ElementwiseRelu()),
                new TransformConfig(3, Stiefel.paper(), new Activation.EigenvalueRectifier(1e-4)));
        List<AggregatorConfig> aggregators = new ArrayList<>(List.of(
                new AggregatorConfig.Average(),
                new AggregatorConfig.Max(),
                new AggregatorConfig.CompactBilinear(8192, -3),
                new CodebookConfig.Fisher(16),
                new CodebookConfig.Vlad(8, true),
                new CodebookConfig.Encoding(4),
                new CodebookConfig.RandomEncoder(2, 5, 1e-2),
                new AggregatorConfig.Custom("own", Map.of("b", "2", "a", "1 \"quoted\" ü"))));
        for (KernelConfig kernel : kernels) {
            aggregators.add(new AggregatorConfig.SpdMatrix(new AggregationConfig(kernel, true, 1e-3), transforms));
        }
        for (RootConfig root : List.of(new RootConfig.None(), new RootConfig.Exact(1e-5), new RootConfig.Iterated(5))) {
            aggregators.add(new AggregatorConfig.SpdMatrix(
                    AggregationConfig.of(new KernelConfig.Covariance()), transforms, ProductPrecision.BFLOAT16, root));
        }
        return aggregators.stream()
                .map(aggregator -> new NetworkConfig(
                        List.of(
                                BranchConfig.average("res5c", 224),
                                new BranchConfig(
                                        "a tap",
                                        64,
                                        12,
                                        true,
                                        aggregator,
                                        new DescriptorConfig(1e-4, -1, 0.25, 0.5, Fidelity.PAPER))),
                        12.5))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("everyKindOfNetwork")
    void every_config_comes_back_as_it_was(NetworkConfig config) {
        String text = ConfigJson.toJson(config);
        assertThat(ConfigJson.fromJson(text, NetworkConfig.class)).isEqualTo(config);
        assertThat(ConfigJson.toJson(ConfigJson.fromJson(text, NetworkConfig.class)))
                .isEqualTo(text);
    }

    @Test
    void nan_infinity_and_notes_come_back_too() {
        var plateau = io.github.gramian.optim.internal.Plateau.from(1, 0.1, 3);
        assertThat(ConfigJson.fromJson(ConfigJson.toJson(plateau), io.github.gramian.optim.internal.Plateau.class))
                .isEqualTo(plateau);
        var note = new ModelDescription.BackboneNote("vgg16-caffe", "abc", Precision.BFLOAT16, false);
        assertThat(ConfigJson.fromJson(ConfigJson.toJson(note), ModelDescription.BackboneNote.class))
                .isEqualTo(note);
    }

    @Test
    void a_key_that_is_missing_is_named() {
        NetworkConfig config = new NetworkConfig(List.of(BranchConfig.kernel("a", 32, 8, 4)), 5);
        refuses(ConfigJson.toJson(config).replace(",\"dropout\":0.0", ""), NetworkConfig.class, "dropout");
    }

    private static void refuses(String json, Class<?> type, String... parts) {
        assertThatThrownBy(() -> ConfigJson.fromJson(json, type))
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(wrong ->
                        assertThat(wrong.getMessage()).contains(parts).doesNotContain("java.util", "io.github", "\n"));
    }

    @Test
    void a_misspelt_key_names_the_nearest_and_its_place() {
        String right = ConfigJson.toJson(new NetworkConfig(List.of(BranchConfig.kernel("a", 32, 8, 4)), 5));
        refuses(
                right.replace("logitScale", "logitScal"),
                NetworkConfig.class,
                "'logitScal'",
                "did you mean 'logitScale'?");
        refuses(right.replace("\"tap\"", "\"tapp\""), NetworkConfig.class, "branches.0.tapp", "did you mean 'tap'?");
        refuses(
                right.replace("\"jitter\"", "\"something else\""),
                NetworkConfig.class,
                "branches.0.aggregator.aggregation.something else",
                "known are [jitter, kernel, mapCentring, unitMaps]");
    }

    @Test
    void a_misspelt_kind_names_the_nearest() {
        refuses("{\"kind\":\"rbff\"}", KernelConfig.class, "'rbff'", "did you mean 'rbf'?");
        refuses("{\"kind\":\"nothing like it\"}", Activation.class, "known are [none, reeig, relu]");
        refuses("{\"degree\":2,\"offset\":1}", KernelConfig.class, "needs a kind", "polynomial");
    }

    @Test
    void what_is_missing_or_empty_is_named() {
        refuses("{\"kind\":\"polynomial\",\"degree\":2}", KernelConfig.class, "offset");
        refuses("{\"kind\":\"polynomial\",\"degree\":2,\"offset\":null}", KernelConfig.class, "offset");
        refuses("{\"branches\":null,\"logitScale\":5}", NetworkConfig.class, "'branches' has no value");
        refuses("{\"branches\":[null],\"logitScale\":5}", NetworkConfig.class, "branches");
        refuses("{\"branches\":[],\"logitScale\":5}", NetworkConfig.class, "at least one branch");
    }

    @Test
    void values_of_another_kind_or_out_of_range_are_named() {
        refuses("{\"kind\":\"polynomial\",\"degree\":2.5,\"offset\":1}", KernelConfig.class, "degree", "2.5");
        refuses("{\"kind\":\"polynomial\",\"degree\":\"two\",\"offset\":1}", KernelConfig.class, "degree", "two");
        refuses("{\"kind\":\"fixed\",\"sigma\":-1}", Bandwidth.class, "sigma must be positive");
        refuses(
                "{\"kind\":\"per-image\",\"gradient\":\"exactly\"}",
                Bandwidth.class,
                "gradient",
                "did you mean 'exact'?");
        refuses(
                "{\"kind\":\"multi-rbf\",\"bandwidth\":{\"kind\":\"fixed\",\"sigma\":1},\"multiples\":[0]}",
                KernelConfig.class,
                "multiples");
        refuses("{\"kind\":\"newton-schulz\",\"iterations\":0}", RootConfig.class, "root.iterations");
        refuses("{\"kind\":\"exact\",\"floor\":0}", RootConfig.class, "root.floor", "try 1e-5");
        refuses(
                "{\"kind\":\"compact-bilinear\",\"dimension\":0,\"sketchSeed\":1}",
                AggregatorConfig.class,
                "dimension");
        refuses("[1, 2]", NetworkConfig.class, "of another kind than expected");
        refuses("{\"branches\":", NetworkConfig.class, "not JSON");
        refuses("{} {}", NetworkConfig.class, "not JSON");
    }

    @Test
    void the_message_about_a_value_of_the_wrong_type_names_the_right_one() {
        String branch = ConfigJson.toJson(BranchConfig.kernel("a", 32, 8, 4));
        refuses(
                branch.replace("\"rectify\":true", "\"rectify\":\"yes\""),
                BranchConfig.class,
                "'rectify' is 'yes'; expected true or false");
        refuses(
                "{\"kind\":\"multi-rbf\",\"bandwidth\":{\"kind\":\"fixed\",\"sigma\":1},\"multiples\":[1,\"half\"]}",
                KernelConfig.class,
                "'multiples.1' is 'half'; expected a number");
        refuses(
                "{\"kind\":\"polynomial\",\"degree\":\"two\",\"offset\":1}",
                KernelConfig.class,
                "'degree' is 'two'; expected a whole number");
    }

    @Test
    void the_keys_of_a_kind_are_known() {
        assertThat(ConfigJson.keysOfKind("polynomial")).containsExactlyInAnyOrder("degree", "offset");
        assertThat(ConfigJson.keysOfKind("nobody")).isEmpty();
    }

    /** A name of a class is a word like any other: nothing is loaded by it. */
    @Test
    void a_class_name_as_a_kind_is_just_an_unknown_word() {
        refuses("{\"kind\":\"javax.swing.JEditorPane\"}", KernelConfig.class, "unknown kind");
    }

    @Test
    void a_manifold_is_read_as_it_is_written_and_explained_like_any_record() {
        assertThat(ConfigJson.toJson(Stiefel.paper())).isEqualTo("{\"metric\":\"canonical\",\"retraction\":\"qr\"}");
        assertThat(ConfigJson.fromJson("{\"metric\":\"Euclidean\",\"retraction\":\"QR\"}", Stiefel.class))
                .isEqualTo(new Stiefel(Metric.EUCLIDEAN, Retraction.QR));
        assertThatThrownBy(() -> ConfigJson.fromJson("{\"metric\":\"canonial\",\"retraction\":\"qr\"}", Stiefel.class))
                .hasMessage("'metric' is 'canonial'; did you mean 'canonical'?");
        assertThatThrownBy(() -> ConfigJson.fromJson("{\"metric\":\"canonical\"}", Stiefel.class))
                .hasMessage("'retraction' is missing");
    }
}
