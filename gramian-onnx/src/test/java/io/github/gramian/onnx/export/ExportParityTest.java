package io.github.gramian.onnx.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Variant;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.internal.Products;
import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.model.ModelFile;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.CompactBilinearConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.EncodingConfig;
import io.github.gramian.model.config.FisherConfig;
import io.github.gramian.model.config.KernelConfig;
import io.github.gramian.model.config.MaxPoolingConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.RootConfig;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.model.config.VladConfig;
import io.github.gramian.onnx.OfficialChecker;
import io.github.gramian.onnx.SmallModel;
import io.github.gramian.onnx.graph.OnnxFile;
import io.github.gramian.onnx.parity.Parity;
import io.github.gramian.onnx.parity.ParityReport;
import io.github.gramian.onnx.parity.SampleImages;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every part of a network that can be exported, against the same network in double. */
class ExportParityTest {

    private static final double TOLERANCE = 1e-5;
    private static final Bandwidth PER_IMAGE = new Bandwidth.PerImage(Bandwidth.Gradient.EXACT);

    @TempDir
    Path folder;

    static Stream<Arguments> aggregators() {
        KernelConfig rbf = new KernelConfig.Rbf(PER_IMAGE);
        return Map.<String, AggregatorConfig>ofEntries(
                        Map.entry("rbf", kernel(rbf)),
                        Map.entry("rbf of global width", kernel(new KernelConfig.Rbf(new Bandwidth.Global(0.1)))),
                        Map.entry("rbf of fixed width", kernel(new KernelConfig.Rbf(new Bandwidth.Fixed(2)))),
                        Map.entry("multi-rbf", kernel(new KernelConfig.MultiRbf(PER_IMAGE, List.of(0.5, 1.0, 2.0)))),
                        Map.entry("laplacian", kernel(new KernelConfig.Laplacian(PER_IMAGE))),
                        Map.entry("linear", kernel(new KernelConfig.Linear())),
                        Map.entry("polynomial", kernel(new KernelConfig.Polynomial(3, 0.5))),
                        Map.entry("covariance", kernel(new KernelConfig.Covariance())),
                        Map.entry("centred unit maps", matrix(new AggregationConfig(rbf, true, true, 1e-3))),
                        Map.entry(
                                "no transformation",
                                new AggregatorConfig.SpdMatrix(AggregationConfig.of(rbf), List.of())),
                        Map.entry(
                                "two transformations",
                                new AggregatorConfig.SpdMatrix(
                                        AggregationConfig.of(rbf), List.of(relu(9), TransformConfig.to(5)))),
                        Map.entry(
                                "products in bfloat16",
                                new AggregatorConfig.SpdMatrix(
                                        AggregationConfig.of(rbf), List.of(TransformConfig.to(6)), Products.BFLOAT16)),
                        Map.entry(
                                "iSQRT",
                                new AggregatorConfig.SpdMatrix(
                                        AggregationConfig.of(new KernelConfig.Covariance()),
                                        List.of(),
                                        Products.EXACT,
                                        new RootConfig.Iterated(5))),
                        Map.entry(
                                "one iteration",
                                new AggregatorConfig.SpdMatrix(
                                        AggregationConfig.of(rbf),
                                        List.of(TransformConfig.to(6)),
                                        Products.EXACT,
                                        new RootConfig.Iterated(1))),
                        Map.entry("average", new AggregatorConfig.Average()),
                        Map.entry("max", new MaxPoolingConfig()),
                        Map.entry("vlad", new VladConfig(5, false)),
                        Map.entry("vlad of unit rows", new VladConfig(5, true)),
                        Map.entry("encoding", new EncodingConfig(6)),
                        Map.entry("fisher", new FisherConfig(4)),
                        Map.entry("compact bilinear", new CompactBilinearConfig(32, 7)),
                        Map.entry("compact bilinear of more buckets than pairs", new CompactBilinearConfig(256, 7)))
                .entrySet()
                .stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> Arguments.of(entry.getKey(), entry.getValue()));
    }

    private static AggregatorConfig kernel(KernelConfig kernel) {
        return matrix(AggregationConfig.of(kernel));
    }

    private static AggregatorConfig matrix(AggregationConfig aggregation) {
        return new AggregatorConfig.SpdMatrix(aggregation, List.of(TransformConfig.to(6)));
    }

    private static TransformConfig relu(int size) {
        return new TransformConfig(size, Stiefel.paper(), new TransformConfig.Activation.ElementwiseRelu());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("aggregators")
    void every_aggregator_computes_what_it_does_here(String name, AggregatorConfig aggregator) throws IOException {
        Path model = SmallModel.write(folder.resolve("model.gramian"), SmallModel.network(aggregator));
        assertThat(exported(model, false, false).toDouble().max()).isLessThan(TOLERANCE);
    }

    static Stream<Arguments> descriptors() {
        return Stream.of(
                Arguments.of("no power", new DescriptorConfig(0, -1, 0, Fidelity.EXACT)),
                Arguments.of("the paper's power", new DescriptorConfig(0, 0, 0, Fidelity.PAPER)),
                Arguments.of("dropout", new DescriptorConfig(0, 1e-3, 0.5, 0.3, Fidelity.EXACT)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("descriptors")
    void every_normalisation_computes_what_it_does_here(String name, DescriptorConfig descriptor) throws IOException {
        BranchConfig branch = new BranchConfig("res4a", 64, 0, false, new AggregatorConfig.Average(), descriptor);
        Path model = SmallModel.write(folder.resolve("model.gramian"), new NetworkConfig(List.of(branch), 20));
        assertThat(exported(model, false, false).toDouble().max()).isLessThan(TOLERANCE);
    }

    @ParameterizedTest
    @CsvSource({"false,false", "true,false", "true,true"})
    void branches_of_several_layers_and_sizes_stand_side_by_side(boolean pixels, boolean external) throws IOException {
        NetworkConfig network = new NetworkConfig(
                List.of(
                        BranchConfig.kernel("res4a", 96, 10, 4),
                        BranchConfig.average("res3b", 64),
                        BranchConfig.kernel("res3b", 64, 8, 8),
                        BranchConfig.average("layer3.1", 64)),
                6);
        Path model = SmallModel.write(folder.resolve("model.gramian"), network);
        assertThat(exported(model, pixels, external).toDouble().max()).isLessThan(TOLERANCE);
    }

    @ParameterizedTest
    @CsvSource({
        "RESNET50,KERAS,res2c,false",
        "RESNET50,KERAS_APPLICATIONS,res3a,true",
        "VGG16,KERAS,conv3_3,true",
        "VGG16,TORCHVISION,pool3,false"
    })
    void every_backbone_computes_what_it_does_here(
            Architecture architecture, Variant variant, String tap, boolean pixels) throws IOException {
        NetworkConfig network = new NetworkConfig(List.of(BranchConfig.kernel(tap, 64, 10, 6)), 6);
        Path model = SmallModel.write(
                folder.resolve("model.gramian"), network, new BackboneConfig(architecture, variant, 0));
        assertThat(exported(model, pixels, false).toDouble().max()).isLessThan(TOLERANCE);
    }

    /** Exports, has the official checker look, and compares. */
    private ParityReport exported(Path model, boolean pixels, boolean external) throws IOException {
        Path file = folder.resolve("model.onnx");
        try (ModelFile open = ModelFile.open(model);
                LoadedModel loaded = LoadedModel.of(open, Placement.cpu(Precision.FLOAT))) {
            if (external) {
                OnnxFile.writeExternal(file, loaded.graph(pixels), loaded.about());
            } else {
                OnnxFile.write(file, loaded.graph(pixels), loaded.about());
            }
            OfficialChecker.check(file);
            ParityReport report = Parity.of(file, pixels, open, loaded, SampleImages.madeUp(3, new Seed(5)));
            assertThat(report.toDouble().topAgreement()).isEqualTo(1);
            assertThat(report.images()).isEqualTo(3);
            return report;
        }
    }
}
