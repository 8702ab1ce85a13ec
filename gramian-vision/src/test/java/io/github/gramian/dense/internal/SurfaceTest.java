package io.github.gramian.dense.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SurfaceTest {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    /** 3 channels on 8 × 8 cells, and 6 on 4 × 4 cells: all are used as they are. */
    private static final SurfaceFit NARROW = new SurfaceFit(List.of("fine", "coarse"), List.of(3, 6));

    /** The second layer has more channels than the fit uses. */
    private static final SurfaceFit WIDE = new SurfaceFit(List.of("fine", "coarse"), List.of(3, 150));

    /** Feature maps of a photograph, some of which are the same in all photographs of an object. */
    private static List<Tensor> maps(SurfaceFit fit, Seed photograph, Seed object) {
        long channels = fit == WIDE ? 150 : 6;
        Tensor shared = object.normal(FLOAT, 1, channels, 1, 1).mul(scalar(0.5));
        return List.of(
                photograph.child("fine").normal(FLOAT, 1, 3, 8, 8),
                photograph.child("coarse").normal(FLOAT, 1, channels, 4, 4).add(shared));
    }

    private static SurfaceFit.Photographs photographs(SurfaceFit fit, int count, IntFunction<List<Tensor>> maps) {
        List<List<Tensor>> reduced = IntStream.range(0, count)
                .mapToObj(maps)
                .map(whole -> List.of(fit.reduce(0, whole.get(0)), fit.reduce(1, whole.get(1))))
                .toList();
        return new SurfaceFit.Photographs() {
            @Override
            public int count() {
                return count;
            }

            @Override
            public List<Tensor> reduced(int photograph) {
                return reduced.get(photograph);
            }
        };
    }

    private static Surface surface(SurfaceFit fit, Seed seed, int count) {
        return fit.fit(
                photographs(
                        fit,
                        count,
                        i -> maps(fit, seed.child(i), seed.child("object").child(i))),
                IntStream.range(0, count).toArray());
    }

    private static List<Tensor> reduced(Surface surface, List<Tensor> maps) {
        return List.of(surface.reduce(0, maps.get(0)), surface.reduce(1, maps.get(1)));
    }

    @Test
    void at_most_the_promised_share_of_good_photographs_raises_an_alarm() {
        int draws = 80;
        int atTen = 0;
        int atTwenty = 0;
        for (int draw = 0; draw < draws; draw++) {
            try (Scope scope = Scope.open()) {
                Seed seed = new Seed(7).child(draw);
                Surface surface = surface(NARROW, seed, 12);
                List<Tensor> fresh = maps(NARROW, seed.child("new"), seed.child("new object"));
                double pValue = surface.judge(reduced(surface, fresh)).pValue();
                atTen += pValue <= 0.1 ? 1 : 0;
                atTwenty += pValue <= 0.2 ? 1 : 0;
            }
        }
        assertThat((double) atTen / draws).isLessThanOrEqualTo(0.1 + 2 * Math.sqrt(0.09 / draws));
        assertThat((double) atTwenty / draws).isLessThanOrEqualTo(0.2 + 2 * Math.sqrt(0.16 / draws));
        assertThat(atTwenty).isPositive();
    }

    @Test
    void a_flaw_raises_an_alarm_and_is_in_its_region() {
        try (Scope scope = Scope.open()) {
            Seed seed = new Seed(3);
            Surface surface = surface(NARROW, seed, 20).withRate(0.05);
            List<Tensor> maps = maps(NARROW, seed.child("new"), seed.child("new object"));
            maps.get(0).narrow(2, 5, 2).narrow(3, 1, 2).add_(scalar(12.0));
            Calibration.Scores scores = surface.judge(reduced(surface, maps));
            assertThat(scores.isDefect()).isTrue();
            assertThat(scores.pValue()).isEqualTo(1.0 / 21);
            Calibration.Region region = scores.regions().get(0);
            assertThat(region.left()).isLessThanOrEqualTo(1);
            assertThat(region.left() + region.width()).isGreaterThanOrEqualTo(3);
            assertThat(region.top()).isBetween(3, 5);
            assertThat(region.top() + region.height()).isGreaterThanOrEqualTo(7);
            assertThat(region.peak()).isCloseTo(scores.photograph(), within(1e-6));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void an_object_is_scored_by_a_fit_without_any_of_its_photographs(long number) {
        try (Scope scope = Scope.open()) {
            Seed seed = new Seed(number);
            int[] groups = IntStream.range(0, 12).map(i -> 40 - i / 3).toArray();
            IntFunction<List<Tensor>> source =
                    i -> maps(NARROW, seed.child(i), seed.child("object").child(groups[i]));
            float[] before = NARROW.fit(photographs(NARROW, 12, source), groups)
                    .parts()
                    .calibration()
                    .scores();
            // Other photographs of the first object change: the score of its first photograph does not.
            IntFunction<List<Tensor>> changed = i ->
                    i == 1 || i == 2 ? maps(NARROW, seed.child("other").child(i), seed.child("else")) : source.apply(i);
            Calibration after =
                    NARROW.fit(photographs(NARROW, 12, changed), groups).parts().calibration();
            assertThat(after.scores()[0]).isCloseTo(before[0], within(1e-4f * before[0]));
            assertThat(after.scores()[3]).isNotEqualTo(before[3]);
            assertThat(after.objects()).isEqualTo(4);
            assertThat(after.withRate(0.2).rate()).isEqualTo(0.2);
        }
    }

    @Test
    void strips_are_reduced_as_the_whole_photograph_is() {
        try (Scope scope = Scope.open()) {
            Surface surface = surface(WIDE, new Seed(1), 10);
            Tensor whole = maps(WIDE, new Seed(8), new Seed(9)).get(1);
            Tensor strips = torch.cat(
                    new TensorVector(
                            surface.reduce(1, whole.narrow(2, 0, 1)), surface.reduce(1, whole.narrow(2, 1, 3))),
                    2);
            assertThat(HostCopy.floats(strips))
                    .containsExactly(HostCopy.floats(surface.reduce(1, whole)), within(1e-4f));
        }
    }

    /** Inside the sample, the mean square of the distances is the number of dimensions, less what the shrinkage takes. */
    @Test
    void cells_of_the_photographs_of_the_fit_score_about_one() {
        try (Scope scope = Scope.open()) {
            Seed seed = new Seed(6);
            Surface surface = surface(WIDE, seed, 12);
            double mean = IntStream.range(0, 12)
                    .mapToObj(
                            i -> maps(WIDE, seed.child(i), seed.child("object").child(i)))
                    .mapToDouble(maps ->
                            surface.scores(reduced(surface, maps)).mean().item_double())
                    .average()
                    .orElseThrow();
            assertThat(mean).isBetween(0.7, 1.01);
        }
    }

    @Test
    void the_same_photographs_give_the_same_bits() {
        try (Scope scope = Scope.open()) {
            Surface.Parts first = surface(WIDE, new Seed(5), 11).parts();
            Surface.Parts second = surface(WIDE, new Seed(5), 11).parts();
            assertThat(second.calibration().scores())
                    .containsExactly(first.calibration().scores());
            assertThat(second.projections().get(1))
                    .containsExactly(first.projections().get(1));
            assertThat(second.offset()).containsExactly(first.offset());
        }
    }

    @Test
    void arrays_that_do_not_fit_are_refused() {
        assertThatThrownBy(() -> parts(new float[] {1, Float.NaN}, new float[1]))
                .hasMessageContaining("NaN");
        assertThatThrownBy(() -> parts(new float[3], new float[2])).hasMessageContaining("does not fit 2 dimensions");
        assertThatThrownBy(() -> parts(new float[2], new float[0])).hasMessageContaining("does not fit 0 dimensions");
        assertThatThrownBy(() -> parts(new float[2], new float[] {Float.POSITIVE_INFINITY}))
                .hasMessageContaining("Infinity");
    }

    private static Surface.Parts parts(float[] projection, float[] offset) {
        Calibration calibration = new Calibration(new float[] {1}, new int[] {0}, 1, 0.5);
        return new Surface.Parts(List.of("only"), List.of(projection), offset, calibration);
    }

    @Test
    void maps_of_another_backbone_and_useless_photographs_are_refused() {
        try (Scope scope = Scope.open()) {
            int[] groups = IntStream.range(0, 10).toArray();
            Tensor fine = torch.ones(1, 3, 8, 8);
            Tensor coarse = torch.ones(1, 6, 4, 4);
            Tensor broken = torch.full(new long[] {1, 3, 8, 8}, scalar(Double.NaN));
            assertThatThrownBy(() -> NARROW.reduce(0, torch.zeros(1, 4, 8, 8)))
                    .hasMessageContaining("the layer fine has feature maps [1, 3, rows, width]");
            assertThatThrownBy(() -> surface(NARROW, new Seed(1), 9))
                    .hasMessageContaining("10 good photographs or more");
            assertThatThrownBy(() -> NARROW.fit(photographs(NARROW, 10, i -> List.of(fine, coarse)), new int[10]))
                    .hasMessageContaining("one group");
            assertThatThrownBy(() ->
                            NARROW.fit(photographs(NARROW, 10, i -> List.of(i == 4 ? broken : fine, coarse)), groups))
                    .hasMessageContaining("good photograph 5");
            assertThatThrownBy(() -> NARROW.fit(photographs(NARROW, 10, i -> List.of(fine, coarse)), groups))
                    .hasMessageContaining("all cells of the good photographs are equal");
        }
    }
}
