package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.check.GradientCheck.Domain;
import io.github.gramian.layer.aggregator.DeepTen;
import io.github.gramian.layer.aggregator.FisherVector;
import io.github.gramian.layer.aggregator.RandomEncoder;
import io.github.gramian.layer.aggregator.Vlad;
import io.github.gramian.linalg.internal.GaussianMixture;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/**
 * Layers with a codebook, with their reference implementations. Weights that are not trained depend only on the number of channels.
 */
final class CodebookCases {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final int WORDS = 3;
    private static final int HIDDEN = 2;
    private static final int ENCODERS = 3;
    private static final double RIDGE = 0.1;
    private static final Seed FIXED = new Seed(11);

    private CodebookCases() {}

    static List<LayerCase> all() {
        return List.of(
                new LayerCase(
                        "Fisher vector",
                        Domain.ANY,
                        LayerCases.MAPS,
                        (size, placement, seed) -> fisher(mixture(size.channels())),
                        (M, p) -> CodebookReferences.fisher(M, mixture(M.size(1)))),
                new LayerCase(
                        "VLAD",
                        Domain.ANY,
                        LayerCases.MAPS,
                        (size, placement, seed) -> new Vlad("v", words(size.channels()), false),
                        (M, p) -> CodebookReferences.vlad(M, words(M.size(1)), false)),
                new LayerCase(
                        "VLAD, intra-normalised",
                        Domain.ANY,
                        LayerCases.MAPS,
                        (size, placement, seed) -> new Vlad("v", words(size.channels()), true),
                        (M, p) -> CodebookReferences.vlad(M, words(M.size(1)), true)),
                new LayerCase(
                        "Deep-TEN encoding",
                        Domain.ANY,
                        LayerCases.MAPS,
                        (size, placement, seed) -> new DeepTen(
                                "e",
                                seed.child("c").normal(placement, WORDS, size.channels()),
                                seed.child("s").normal(placement, WORDS).mul(scalar(0.5))),
                        (M, p) -> CodebookReferences.deepTen(M, p.get(0), p.get(1))),
                new LayerCase(
                        "random encoder",
                        Domain.ANY,
                        LayerCases.MAPS,
                        (size, placement, seed) -> new RandomEncoder("r", encoders(size.channels()), RIDGE),
                        (M, p) -> CodebookReferences.randomEncoder(M, encoders(M.size(1)), RIDGE)));
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
}
