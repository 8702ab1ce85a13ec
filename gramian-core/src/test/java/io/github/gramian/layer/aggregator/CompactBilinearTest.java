package io.github.gramian.layer.aggregator;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.layer.LayerReferences;
import io.github.gramian.layer.aggregator.internal.SketchHashes;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CompactBilinearTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final int CHANNELS = 16;

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    /** Maps of which every position has length 1. */
    private static Tensor unitMaps(long seed, long positions) {
        Tensor maps = new Seed(seed).normal(DOUBLE, 1, CHANNELS, positions);
        return maps.div(maps.square().sum(1).sqrt().unsqueeze(1));
    }

    private record Spread(double mean, double deviation) {}

    /** ⟨v(X), v(Y)⟩ over many draws of the hashes. */
    private static Spread products(Tensor X, Tensor Y, int dimension, int draws) {
        double sum = 0;
        double squares = 0;
        for (int draw = 0; draw < draws; draw++) {
            try (Scope each = Scope.open();
                    CompactBilinear layer = new CompactBilinear(CHANNELS, dimension, DOUBLE, new Seed(draw))) {
                double product = layer.apply(X).mul(layer.apply(Y)).sum().item_double();
                sum += product;
                squares += product * product;
            }
        }
        double mean = sum / draws;
        return new Spread(mean, Math.sqrt(squares / draws - mean * mean));
    }

    @Test
    void inner_products_of_sketches_are_squared_inner_products_on_average() {
        Tensor x = unitMaps(1, 1);
        Tensor y = unitMaps(2, 1).add(x);
        double expected = Math.pow(x.mul(y).sum().item_double(), 2);
        assertThat(expected).isGreaterThan(0.5);
        Spread found = products(x, y, 128, 600);
        assertThat(found.mean()).isCloseTo(expected, within(4 * found.deviation() / Math.sqrt(600)));
        assertThat(found.deviation() / Math.sqrt(600)).isLessThan(0.02 * expected);
    }

    @Test
    void pooled_sketches_stand_for_bilinear_matrices_the_better_the_longer_they_are() {
        Tensor X = unitMaps(3, 9);
        Tensor Y = unitMaps(4, 5);
        double expected =
                LayerReferences.linear(X).mul(LayerReferences.linear(Y)).sum().item_double();
        Spread small = products(X, Y, 32, 300);
        Spread large = products(X, Y, 512, 300);
        assertThat(large.mean()).isCloseTo(expected, within(4 * large.deviation() / Math.sqrt(300)));
        // The deviation falls with the root of the length: by 4 from 32 to 512.
        assertThat(small.deviation() / large.deviation()).isBetween(3.0, 5.3);
    }

    /** Models store the seed of the hashes and not the hashes: other values here would make every saved model useless. */
    @Test
    void the_hashes_of_a_seed_never_change() {
        try (CompactBilinear.CountSketch sketch =
                new CompactBilinear.CountSketch(6, SketchHashes.first(64, new Seed(1)), DOUBLE)) {
            Tensor S = sketch.apply(torch.eye(6, DOUBLE.options()).unsqueeze(0)).squeeze(0);
            Tensor places = torch.arange(scalar(1.0), scalar(65.0), DOUBLE.options());
            assertThat(HostCopy.floats(places.unsqueeze(0).matmul(S))).containsExactly(17, 2, -17, -54, -33, -60);
        }
    }
}
