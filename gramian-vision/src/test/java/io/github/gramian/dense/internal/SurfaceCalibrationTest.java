package io.github.gramian.dense.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SurfaceCalibrationTest {

    private static final Calibration FOUR = of(new float[] {1, 2, 3, 4}, 0, 1, 2, 3);

    private static Calibration of(float[] scores, int... groups) {
        return new Calibration(scores, groups, 2, 0.5);
    }

    @Test
    void a_photograph_scores_the_mean_of_its_largest_cells() {
        float[] map = new float[200];
        Arrays.fill(map, 2);
        map[17] = 6;
        map[18] = 10;
        assertThat(Calibration.photoScore(map)).isEqualTo(4f);
        map[19] = Float.NaN;
        assertThat(Calibration.photoScore(map)).isNaN();
    }

    @Test
    void a_group_counts_once_however_many_photographs_it_has() {
        Calibration calibration = of(new float[] {5, 5, 5, 5, 1, 9}, 0, 0, 0, 0, 1, 2);
        assertThat(calibration.objects()).isEqualTo(3);
        assertThat(calibration.pValue(6)).isCloseTo(2 / 4.0, within(1e-12));
        assertThat(calibration.pValue(5)).isCloseTo(3 / 4.0, within(1e-12));
        assertThat(calibration.pValue(10)).isCloseTo(1 / 4.0, within(1e-12));
        assertThat(calibration.pValue(1)).isEqualTo(1);
    }

    /** Photographs of one object score alike. As if all were independent, far more than a fifth would raise an alarm. */
    @Test
    void at_most_the_promised_share_of_photographs_of_new_objects_raises_an_alarm() {
        Random random = new Random(4);
        int draws = 4000;
        int alarms = 0;
        for (int draw = 0; draw < draws; draw++) {
            int[] groups =
                    IntStream.range(0, 20).map(i -> i < 12 ? 0 : i % 4 + 1).toArray();
            double[] objects = random.doubles(6).toArray();
            float[] scores = new float[20];
            for (int i = 0; i < scores.length; i++) {
                scores[i] = (float) (objects[groups[i]] + 0.01 * random.nextDouble());
            }
            alarms += of(scores, groups).pValue(objects[5] + 0.01 * random.nextDouble()) <= 0.2 ? 1 : 0;
        }
        assertThat((double) alarms / draws).isLessThanOrEqualTo(0.2 + 2 * Math.sqrt(0.16 / draws));
    }

    @Test
    void a_rate_that_so_few_photographs_cannot_promise_is_refused_with_the_number_needed() {
        assertThat(FOUR.withRate(0.2).rate()).isEqualTo(0.2);
        assertThatThrownBy(() -> FOUR.withRate(0.05))
                .hasMessageContaining("needs at least 19 good photographs")
                .hasMessageContaining("there are 4")
                .hasMessageContaining("a rate of 0.2");
        assertThatThrownBy(() -> of(new float[] {1, 2}, 0, 0).withRate(0.1))
                .hasMessageContaining("needs at least 9 objects");
        assertThatThrownBy(() -> FOUR.withRate(0)).hasMessageContaining("between 0 and 1");
        assertThatThrownBy(() -> FOUR.withRate(Double.NaN)).hasMessageContaining("between 0 and 1");
    }

    @Test
    void cells_that_touch_are_one_region() {
        float[] map = {
            1, 1, 1, 1, 5,
            1, 6, 1, 1, 1,
            1, 1, 2, 1, 1,
            1, 1, 1, 1, 1
        };
        Calibration.Scores scores = FOUR.judge(map, 5);
        assertThat(scores.isDefect()).isTrue();
        assertThat(scores.height()).isEqualTo(4);
        assertThat(scores.regions())
                .isEqualTo(List.of(new Calibration.Region(1, 1, 2, 2, 2, 6), new Calibration.Region(4, 0, 1, 1, 1, 5)));
    }

    @Test
    void a_good_photograph_has_no_regions_and_one_without_numbers_is_a_defect() {
        assertThat(FOUR.judge(new float[] {1, 1, 1.5f, 1}, 2).regions()).isEmpty();
        assertThat(FOUR.judge(new float[] {1, 1, Float.NaN, 1}, 2).isDefect()).isTrue();
    }

    @Test
    void hostile_arrays_are_refused() {
        assertThatThrownBy(() -> of(new float[0])).hasMessageContaining("0 calibration scores");
        assertThatThrownBy(() -> of(new float[] {1, 2}, 0)).hasMessageContaining("1 groups");
        assertThatThrownBy(() -> of(new float[] {1, Float.NaN}, 0, 1)).hasMessageContaining("NaN");
        assertThatThrownBy(() -> of(new float[] {1, 2}, 0, 7)).hasMessageContaining("outside of 0..1");
        assertThatThrownBy(() -> of(new float[] {1, 2}, -1, 0)).hasMessageContaining("-1");
        assertThatThrownBy(() -> of(new float[] {1, 2}, 1, 1)).hasMessageContaining("group 0");
        assertThatThrownBy(() -> new Calibration(new float[] {1}, new int[] {0}, Float.NaN, 0.5))
                .hasMessageContaining("cell threshold");
        assertThatThrownBy(() -> new Calibration(new float[] {1}, new int[] {0}, 1, 1))
                .hasMessageContaining("between 0 and 1");
    }
}
