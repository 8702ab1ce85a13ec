package io.github.gramian.onnx.export.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.backbone.engine.internal.ImageTensors;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.ProductPrecision;
import io.github.gramian.layer.kernel.Bandwidth;
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
import io.github.gramian.model.internal.Branch;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.onnx.OfficialChecker;
import io.github.gramian.onnx.graph.internal.OnnxFile;
import io.github.gramian.onnx.parity.internal.SampleImages;
import io.github.gramian.onnx.runtime.internal.Contract;
import io.github.gramian.onnx.runtime.internal.GraphSession;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every part of a branch that can be exported: all as branches of one network, whose descriptors are compared with those of
 * the same network in double.
 */
class BranchParityTest {

    private static final double TOLERANCE = 1e-5;
    private static final int IMAGES = 4;
    private static final Bandwidth PER_IMAGE = new Bandwidth.PerImage(Bandwidth.Gradient.EXACT);

    @TempDir
    static Path folder;

    /** Branch → largest difference of its descriptors. */
    private static final Map<String, Double> DIFFERENCES = new LinkedHashMap<>();

    private static Map<String, AggregatorConfig> aggregators() {
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
                Map.entry("no transformation", new AggregatorConfig.SpdMatrix(AggregationConfig.of(rbf), List.of())),
                Map.entry(
                        "two transformations",
                        new AggregatorConfig.SpdMatrix(
                                AggregationConfig.of(rbf), List.of(relu(9), TransformConfig.to(5)))),
                Map.entry(
                        "products in bfloat16",
                        new AggregatorConfig.SpdMatrix(
                                AggregationConfig.of(rbf), List.of(TransformConfig.to(6)), ProductPrecision.BFLOAT16)),
                Map.entry(
                        "iSQRT",
                        new AggregatorConfig.SpdMatrix(
                                AggregationConfig.of(new KernelConfig.Covariance()),
                                List.of(),
                                ProductPrecision.EXACT,
                                new RootConfig.Iterated(5))),
                Map.entry(
                        "one iteration",
                        new AggregatorConfig.SpdMatrix(
                                AggregationConfig.of(rbf),
                                List.of(TransformConfig.to(6)),
                                ProductPrecision.EXACT,
                                new RootConfig.Iterated(1))),
                Map.entry("average", new AggregatorConfig.Average()),
                Map.entry("max", new AggregatorConfig.Max()),
                Map.entry("vlad", new CodebookConfig.Vlad(5, false)),
                Map.entry("vlad of unit rows", new CodebookConfig.Vlad(5, true)),
                Map.entry("encoding", new CodebookConfig.Encoding(6)),
                Map.entry("fisher", new CodebookConfig.Fisher(4)),
                Map.entry("compact bilinear", new AggregatorConfig.CompactBilinear(32, 7)),
                Map.entry("compact bilinear of more buckets than pairs", new AggregatorConfig.CompactBilinear(256, 7)));
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

    private static Map<String, BranchConfig> branches() {
        Map<String, BranchConfig> branches = new TreeMap<>();
        aggregators().forEach((name, aggregator) -> branches.put(name, SmallModels.branch(aggregator)));
        branches.put("no power", average(new DescriptorConfig(0, -1, 0, Fidelity.EXACT)));
        branches.put("the paper's power", average(new DescriptorConfig(0, 0, 0, Fidelity.PAPER)));
        branches.put("dropout", average(new DescriptorConfig(0, 1e-3, 0.5, 0.3, Fidelity.EXACT)));
        return branches;
    }

    private static BranchConfig average(DescriptorConfig descriptor) {
        return new BranchConfig("res3b", 64, 0, false, new AggregatorConfig.Average(), descriptor);
    }

    static Stream<String> names() {
        return branches().keySet().stream();
    }

    @BeforeAll
    static void export_all_as_one_network() throws IOException {
        NetworkConfig config = new NetworkConfig(List.copyOf(branches().values()), 5);
        Path model = SmallModels.write(folder.resolve("model.gramian"), config);
        Path file = folder.resolve("model.onnx");
        try (StoredModel open = StoredModel.open(model);
                LoadedModel loaded = LoadedModel.of(open, Placement.cpu(Precision.FLOAT));
                LoadedModel exact = LoadedModel.of(open, Placement.cpu(Precision.DOUBLE))) {
            OnnxFile.write(file, loaded.graph(false), loaded.about());
            OfficialChecker.check(file);
            List<List<RgbImage>> views = SampleImages.batch(
                    SampleImages.drawn(IMAGES, new Seed(5)),
                    0,
                    IMAGES,
                    open.description().preprocessing());
            List<InputPixels> pixels =
                    SampleImages.pixels(views, open.description().preprocessing(), ChannelOrder.FIRST);
            try (GraphSession session = GraphSession.of(file, open.description().preprocessing(), false)) {
                compare(
                        exact,
                        pixels,
                        Objects.requireNonNull(session.run(pixels, 1, Set.of(Contract.DESCRIPTOR))
                                .get(Contract.DESCRIPTOR)));
            }
        }
    }

    private static void compare(LoadedModel exact, List<InputPixels> pixels, float[][] theirs) {
        int start = 0;
        int branch = 0;
        try (Scope scope = Scope.open()) {
            Tensor images = ImageTensors.of(pixels.get(0));
            Tensor maps = FeatureMaps.flat(
                    exact.backbone().features(images, "res3b"), exact.network().placement());
            for (String name : branches().keySet()) {
                float[][] ours =
                        HostCopy.rows(Branch.of(exact.network()).get(branch++).apply(maps));
                double largest = 0;
                for (int i = 0; i < IMAGES; i++) {
                    for (int k = 0; k < ours[i].length; k++) {
                        largest = Math.max(largest, Math.abs(ours[i][k] - theirs[i][start + k]));
                    }
                }
                DIFFERENCES.put(name, largest);
                start += ours[0].length;
            }
        }
        assertThat(start).isEqualTo(theirs[0].length);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("names")
    void a_branch_computes_what_it_does_here(String name) {
        assertThat(DIFFERENCES.get(name)).isBetween(0.0, TOLERANCE);
    }
}
