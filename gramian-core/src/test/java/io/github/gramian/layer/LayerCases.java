package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.check.GradientCheck.Domain;
import io.github.gramian.layer.LayerCases.LayerCase.Inputs;
import io.github.gramian.layer.LayerCases.LayerCase.Layers;
import io.github.gramian.layer.LayerCases.LayerCase.Size;
import io.github.gramian.layer.aggregator.AveragePooling;
import io.github.gramian.layer.aggregator.CompactBilinear;
import io.github.gramian.layer.aggregator.CompactBilinearReference;
import io.github.gramian.layer.aggregator.DeepTen;
import io.github.gramian.layer.aggregator.FisherVector;
import io.github.gramian.layer.aggregator.MaxPooling;
import io.github.gramian.layer.aggregator.RandomEncoder;
import io.github.gramian.layer.aggregator.Vlad;
import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.layer.kernel.Bandwidth.Gradient;
import io.github.gramian.layer.kernel.InnerProductKernel;
import io.github.gramian.layer.kernel.Kernel;
import io.github.gramian.layer.kernel.KernelAggregation;
import io.github.gramian.layer.kernel.LaplacianKernel;
import io.github.gramian.layer.kernel.MultiRbfKernel;
import io.github.gramian.layer.kernel.RbfKernel;
import io.github.gramian.linalg.internal.GaussianMixture;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** Every layer, with its reference implementation. A new layer joins the contract by one entry here. */
final class LayerCases {

    /** Of layers with a codebook; weights that are not trained depend only on the number of channels. */
    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private static final int WORDS = 3;
    private static final int HIDDEN = 2;
    private static final int ENCODERS = 3;
    private static final double RIDGE = 0.1;
    private static final Seed FIXED = new Seed(11);

    private LayerCases() {}

    /** Feature maps [batch, C, N]. */
    static final Inputs MAPS =
            (size, placement, seed) -> seed.normal(placement, size.batch(), size.channels(), size.positions());

    /** One position more: a single one has no variance. */
    private static final Inputs MAPS_WITH_VARIANCE =
            (size, placement, seed) -> seed.normal(placement, size.batch(), size.channels(), size.positions() + 1L);

    /** Maps whose entries keep away from the kink of a ReLU. */
    private static final Inputs MAPS_OFF_ZERO = (size, placement, seed) -> {
        Tensor maps = MAPS.make(size, placement, seed);
        return maps.add(maps.sign(), scalar(0.1));
    };

    /** SPD matrices [batch, C, C] with eigenvalues well apart from each other and from 0. */
    static final Inputs SPD = (size, placement, seed) -> {
        Tensor factor = seed.normal(placement, size.batch(), size.channels(), 2L * size.channels());
        Tensor spread = torch.arange(scalar(size.channels()), placement.options());
        return factor.matmul(factor.mT())
                .div_(scalar(2.0 * size.channels()))
                .add_(torch.diag(spread.add_(scalar(0.3))));
    };

    /** Symmetric matrices with eigenvalues of both signs. */
    private static final Inputs INDEFINITE = (size, placement, seed) -> SPD.make(size, placement, seed)
            .sub_(torch.eye(size.channels(), placement.options()), scalar(size.channels() / 2.0));

    /** Rows [batch, C·N]. */
    static final Inputs ROWS =
            (size, placement, seed) -> seed.normal(placement, size.batch(), (long) size.channels() * size.positions());

    static List<LayerCase> all() {
        return Stream.of(own(), codebooks()).flatMap(List::stream).toList();
    }

    private static List<LayerCase> own() {
        return List.of(
                new LayerCase(
                        "1×1 convolution",
                        Domain.ANY,
                        MAPS,
                        (size, placement, seed) -> convolution(size, placement, seed),
                        (x, p) -> LayerReferences.convolution(x, p.get(0), p.get(1))),
                any("average pooling", MAPS, (size, placement, seed) -> new AveragePooling(), (M, p) -> M.mean(2)),
                any(
                        "max pooling",
                        MAPS,
                        (size, placement, seed) -> new MaxPooling(),
                        (M, p) -> M.amax(new long[] {2}, false)),
                any(
                        "compact bilinear",
                        MAPS,
                        (size, placement, seed) -> new CompactBilinear(size.channels(), 7, placement, new Seed(11)),
                        (M, p) -> CompactBilinearReference.compactBilinear(M, 7, new Seed(11))),
                any("ReLU", MAPS_OFF_ZERO, (size, placement, seed) -> new Relu(), (x, p) -> x.relu()),
                constantSigma("RBF, σ constant", rbf(Gradient.CONSTANT), (M, p) -> LayerReferences.rbf(M, false)),
                kernel("RBF, σ exact", rbf(Gradient.EXACT), (M, p) -> LayerReferences.rbf(M, true)),
                kernel(
                        "RBF, σ fixed",
                        placement -> new RbfKernel("k", new Bandwidth.Fixed(1.5), placement),
                        (M, p) -> LayerReferences.rbf(
                                LayerReferences.squaredDistances(M), torch.full(new long[] {1}, scalar(1.5)))),
                constantSigma(
                        "several RBF, σ constant",
                        multiRbf(Gradient.CONSTANT),
                        (M, p) -> LayerReferences.multiRbf(M, false)),
                kernel("several RBF, σ exact", multiRbf(Gradient.EXACT), (M, p) -> LayerReferences.multiRbf(M, true)),
                constantSigma(
                        "Laplacian, σ constant",
                        laplacian(Gradient.CONSTANT),
                        (M, p) -> LayerReferences.laplacian(M, false)),
                kernel("Laplacian, σ exact", laplacian(Gradient.EXACT), (M, p) -> LayerReferences.laplacian(M, true)),
                kernel("linear", placement -> new InnerProductKernel.Linear(), (M, p) -> LayerReferences.linear(M)),
                kernel(
                        "covariance",
                        placement -> new InnerProductKernel.Covariance(),
                        (M, p) -> LayerReferences.covariance(M)),
                kernel(
                        "polynomial",
                        placement -> new InnerProductKernel.Polynomial(3, 0.5),
                        (M, p) -> LayerReferences.polynomial(M, 3, 0.5)),
                any(
                        "RBF, unit maps",
                        MAPS_WITH_VARIANCE,
                        (size, placement, seed) ->
                                new KernelAggregation(rbf(Gradient.EXACT).make(placement), false, true, 0),
                        (M, p) -> LayerReferences.rbf(LayerReferences.unitMaps(M), true)),
                any(
                        "correlation: linear, centred unit maps",
                        MAPS_WITH_VARIANCE,
                        (size, placement, seed) ->
                                new KernelAggregation(new InnerProductKernel.Linear(), true, true, 0),
                        (M, p) -> LayerReferences.linear(LayerReferences.unitMaps(LayerReferences.centredMaps(M)))),
                any(
                        "RBF, centred maps, jitter",
                        MAPS_WITH_VARIANCE,
                        (size, placement, seed) ->
                                new KernelAggregation(rbf(Gradient.EXACT).make(placement), true, 1e-2),
                        (M, p) -> LayerReferences.rbf(LayerReferences.centredMaps(M), true)
                                .add(torch.eye(M.size(1), Placement.of(M).options()), scalar(1e-2))),
                new LayerCase(
                        "SPD transformation",
                        Domain.SYMMETRIC,
                        SPD,
                        (size, placement, seed) -> SpdTransformation.random(
                                "t", size.channels(), half(size), Stiefel.paper(), placement, seed),
                        (K, p) -> LayerReferences.transformation(K, p.get(0))),
                symmetric(
                        "ReEig",
                        INDEFINITE,
                        EigenLayer.rectifier(0.2),
                        (Y, p) -> LayerReferences.eigen(Y, 0.2, f -> f)),
                symmetric(
                        "LogEig",
                        SPD,
                        EigenLayer.logarithm(1e-4),
                        (Y, p) -> LayerReferences.eigen(Y, 1e-4, Tensor::log)),
                symmetric(
                        "matrix power ½",
                        SPD,
                        EigenLayer.power(0.5, 1e-4),
                        (Y, p) -> LayerReferences.eigen(Y, 1e-4, Tensor::sqrt)),
                symmetric("Newton–Schulz", SPD, new MatrixSquareRoot(5), (Y, p) -> LayerReferences.newtonSchulz(Y, 5)),
                new LayerCase(
                        "vectorisation",
                        Domain.SYMMETRIC,
                        SPD,
                        (size, placement, seed) -> new Vectorisation(size.channels(), Fidelity.EXACT, placement),
                        (Y, p) -> LayerReferences.vectorisation(Y)),
                any(
                        "power normalisation",
                        ROWS,
                        (size, placement, seed) -> new PowerNormalisation(1e-2),
                        (v, p) -> LayerReferences.power(v, 1e-2)),
                any(
                        "l2 normalisation",
                        ROWS,
                        (size, placement, seed) -> new L2Normalisation(),
                        (v, p) -> LayerReferences.unitLength(v)),
                any(
                        "descriptor centring",
                        ROWS,
                        (size, placement, seed) -> centring(size, placement, seed),
                        (v, p) -> v.sub(scalar(0.25)).div(scalar(Math.sqrt(0.3)))),
                any(
                        "dropout in inference",
                        ROWS,
                        (size, placement, seed) -> new Dropout("d", 0.5),
                        (v, p) -> v.mul(scalar(1.0))),
                new LayerCase(
                        "fully connected",
                        Domain.ANY,
                        ROWS,
                        (size, placement, seed) -> fullyConnected(size, placement, seed),
                        (v, p) -> LayerReferences.fullyConnected(v, p.get(0), p.get(1))));
    }

    private interface KernelMaker {
        Kernel make(Placement placement);
    }

    private static KernelMaker rbf(Gradient gradient) {
        return placement -> new RbfKernel("k", new Bandwidth.PerImage(gradient), placement);
    }

    private static KernelMaker multiRbf(Gradient gradient) {
        return placement -> new MultiRbfKernel(
                "k", new Bandwidth.PerImage(gradient), LayerReferences.MULTIPLES, ProductPrecision.EXACT, placement);
    }

    private static KernelMaker laplacian(Gradient gradient) {
        return placement -> new LaplacianKernel("k", new Bandwidth.PerImage(gradient), placement);
    }

    private static LayerCase kernel(
            String name, KernelMaker maker, BiFunction<Tensor, List<Tensor>, Tensor> reference) {
        return any(name, MAPS, (size, placement, seed) -> KernelAggregation.of(maker.make(placement)), reference);
    }

    /**
     * Not the gradient of the whole function, so that only the reference implementation, which keeps σ constant, can
     * confirm it.
     */
    private static LayerCase constantSigma(
            String name, KernelMaker maker, BiFunction<Tensor, List<Tensor>, Tensor> reference) {
        LayerCase exact = kernel(name, maker, reference);
        return new LayerCase(name, exact.domain(), exact.inputs(), exact.layers(), reference, false);
    }

    private static LayerCase any(
            String name, Inputs inputs, Layers layers, BiFunction<Tensor, List<Tensor>, Tensor> reference) {
        return new LayerCase(name, Domain.ANY, inputs, layers, reference);
    }

    private static LayerCase symmetric(
            String name, Inputs inputs, Layer layer, BiFunction<Tensor, List<Tensor>, Tensor> reference) {
        return new LayerCase(name, Domain.SYMMETRIC, inputs, (size, placement, seed) -> layer, reference);
    }

    private static int half(Size size) {
        return Math.max(1, size.channels() / 2);
    }

    private static Layer convolution(Size size, Placement placement, Seed seed) {
        long channels = size.channels() + 1L;
        return new Convolution1x1(
                "c",
                seed.child("A").normal(placement, channels, size.channels()),
                seed.child("b").normal(placement, channels));
    }

    private static Layer fullyConnected(Size size, Placement placement, Seed seed) {
        long inputs = (long) size.channels() * size.positions();
        return new FullyConnected(
                "f",
                seed.child("B").normal(placement, 4, inputs),
                seed.child("c").normal(placement, 4));
    }

    private static Layer centring(Size size, Placement placement, Seed seed) {
        DescriptorCentring layer =
                new DescriptorCentring("m", (long) size.channels() * size.positions(), 0.1, placement);
        Tensor before = torch.full_like(ROWS.make(size, placement, seed), scalar(0.25));
        layer.forward(before, Phase.training(seed));
        layer.start(layer.parameters().get(0).value().clone(), 0.3);
        return layer;
    }

    private static List<LayerCase> codebooks() {
        return List.of(
                new LayerCase(
                        "Fisher vector",
                        Domain.ANY,
                        MAPS,
                        (size, placement, seed) -> fisher(mixture(size.channels())),
                        (M, p) -> LayerReferences.fisher(M, mixture(M.size(1)))),
                new LayerCase(
                        "VLAD",
                        Domain.ANY,
                        MAPS,
                        (size, placement, seed) -> new Vlad("v", words(size.channels()), false),
                        (M, p) -> LayerReferences.vlad(M, words(M.size(1)), false)),
                new LayerCase(
                        "VLAD, intra-normalised",
                        Domain.ANY,
                        MAPS,
                        (size, placement, seed) -> new Vlad("v", words(size.channels()), true),
                        (M, p) -> LayerReferences.vlad(M, words(M.size(1)), true)),
                new LayerCase(
                        "Deep-TEN encoding",
                        Domain.ANY,
                        MAPS,
                        (size, placement, seed) -> new DeepTen(
                                "e",
                                seed.child("c").normal(placement, WORDS, size.channels()),
                                seed.child("s").normal(placement, WORDS).mul(scalar(0.5))),
                        (M, p) -> LayerReferences.deepTen(M, p.get(0), p.get(1))),
                new LayerCase(
                        "random encoder",
                        Domain.ANY,
                        MAPS,
                        (size, placement, seed) -> new RandomEncoder("r", encoders(size.channels()), RIDGE),
                        (M, p) -> LayerReferences.randomEncoder(M, encoders(M.size(1)), RIDGE)));
    }

    private static Tensor words(long channels) {
        return FIXED.child("words").normal(DOUBLE, WORDS, channels);
    }

    private static Tensor encoders(long channels) {
        return FIXED.child("encoders").normal(DOUBLE, ENCODERS, HIDDEN, channels);
    }

    private static FisherVector fisher(GaussianMixture mixture) {
        return new FisherVector("f", mixture.weights(), mixture.means(), mixture.variances());
    }

    private static GaussianMixture mixture(long channels) {
        return new GaussianMixture(
                FIXED.child("w").uniform(DOUBLE, WORDS).add(scalar(0.5)).softmax(0),
                words(channels),
                FIXED.child("v").uniform(DOUBLE, WORDS, channels).add(scalar(0.5)));
    }

    /**
     * A layer under test.
     *
     * @param name for the report
     * @param domain what inputs it takes
     * @param inputs makes an input
     * @param layers makes the layer
     * @param reference the same computation written for autograd: (input, values of the trainable parameters) → output
     * @param exact whether the backward computation is the derivative of the forward one, nothing held constant
     */
    record LayerCase(
            String name,
            Domain domain,
            Inputs inputs,
            Layers layers,
            BiFunction<Tensor, List<Tensor>, Tensor> reference,
            boolean exact) {

        LayerCase(
                String name,
                Domain domain,
                Inputs inputs,
                Layers layers,
                BiFunction<Tensor, List<Tensor>, Tensor> reference) {
            this(name, domain, inputs, layers, reference, true);
        }

        /** The sizes that a case is tried at: channels, positions, images. */
        record Size(int channels, int positions, int batch) {}

        interface Inputs {
            Tensor make(Size size, Placement placement, Seed seed);
        }

        interface Layers {
            Layer make(Size size, Placement placement, Seed seed);
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
