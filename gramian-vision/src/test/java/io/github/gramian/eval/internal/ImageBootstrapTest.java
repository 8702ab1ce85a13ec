package io.github.gramian.eval.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImageBootstrapTest {

    private static final double TOLERANCE = 0.002;

    /** Two models on the same images: some that only the first, only the second, and both predict correctly. */
    private static ImageValues difference(int onlyFirst, int onlySecond, int both) {
        List<Boolean> first = new ArrayList<>();
        List<Boolean> second = new ArrayList<>();
        for (int i = 0; i < onlyFirst + onlySecond + both; i++) {
            first.add(i < onlyFirst || i >= onlyFirst + onlySecond);
            second.add(i >= onlyFirst);
        }
        return ImageValues.difference(List.of(first), List.of(second));
    }

    /** One seed that predicts the images from..to correctly. */
    private static List<Boolean> seed(int images, int from, int to) {
        return IntStream.range(0, images).mapToObj(i -> i >= from && i < to).toList();
    }

    private static double width(ImageBootstrap interval) {
        return interval.upper() - interval.lower();
    }

    @Test
    void the_spread_is_that_of_a_sample() {
        Spread spread =
                Spread.of(DoubleStream.of(2, 4, 4, 4, 5, 5, 7, 9).boxed().toList());
        assertThat(spread.mean()).isEqualTo(5);
        assertThat(spread.deviation()).isCloseTo(Math.sqrt(32.0 / 7), within(1e-15));
        assertThat(Spread.of(List.of(3.0)).deviation()).isNaN();
        assertThatThrownBy(() -> Spread.of(List.of())).hasMessageContaining("at least one");
    }

    @Test
    void the_interval_of_an_accuracy_on_one_split_is_that_of_its_images() {
        ImageBootstrap interval = ImageBootstrap.ofAccuracy(List.of(ImageValues.correct(List.of(seed(1000, 0, 800)))));
        double deviation = Math.sqrt(0.8 * 0.2 / 1000);
        assertThat(interval.mean()).isEqualTo(0.8);
        assertThat(interval.lower()).isCloseTo(0.8 - 1.96 * deviation, within(TOLERANCE));
        assertThat(interval.upper()).isCloseTo(0.8 + 1.96 * deviation, within(TOLERANCE));
    }

    @Test
    void the_interval_of_a_difference_counts_each_image_for_both_models() {
        // 1,000 images, 60 gained and 20 lost: variance (0.08 − 0.04²) / 1000
        ImageBootstrap interval = ImageBootstrap.of(List.of(difference(20, 60, 920)));
        double deviation = Math.sqrt((0.08 - 0.0016) / 1000);
        assertThat(interval.mean()).isCloseTo(0.04, within(1e-12));
        assertThat(interval.lower()).isCloseTo(0.04 - 1.96 * deviation, within(TOLERANCE));
        assertThat(interval.upper()).isCloseTo(0.04 + 1.96 * deviation, within(TOLERANCE));
        assertThat(ImageBootstrap.of(List.of(difference(20, 60, 920)))).isEqualTo(interval);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 5, 9})
    void more_seeds_on_the_same_images_do_not_narrow_the_interval(int seeds) {
        List<Boolean> one = seed(585, 0, 500);
        ImageBootstrap alone = ImageBootstrap.ofAccuracy(List.of(ImageValues.correct(List.of(one))));
        ImageBootstrap repeated =
                ImageBootstrap.ofAccuracy(List.of(ImageValues.correct(Collections.nCopies(seeds, one))));
        assertThat(repeated).isEqualTo(alone);
    }

    @Test
    void predictions_of_several_seeds_are_averaged_by_image() {
        // one seed has the first half of the images right, the other the second half: every image has the value ½
        ImageBootstrap halves =
                ImageBootstrap.ofAccuracy(List.of(ImageValues.correct(List.of(seed(100, 0, 50), seed(100, 50, 100)))));
        assertThat(halves).isEqualTo(new ImageBootstrap(0.5, 0.5, 0.5));
        // values ¾ and ¼, half of the images each: standard deviation ¼ over 400 images
        List<List<Boolean>> seeds =
                List.of(seed(400, 0, 400), seed(400, 0, 200), seed(400, 0, 200), seed(400, 400, 400));
        ImageBootstrap quarters = ImageBootstrap.ofAccuracy(List.of(ImageValues.correct(seeds)));
        assertThat(quarters.mean()).isEqualTo(0.5);
        assertThat(width(quarters)).isCloseTo(2 * 1.96 * 0.25 / 20, within(TOLERANCE));
    }

    @Test
    void splits_that_disagree_widen_the_interval_and_a_single_split_has_no_cluster_level() {
        ImageValues gain = difference(0, 100, 900);
        ImageValues loss = difference(100, 0, 900);
        ImageBootstrap both = ImageBootstrap.of(List.of(gain, loss));
        assertThat(both.mean()).isCloseTo(0, within(1e-12));
        assertThat(both.lower()).isLessThan(-0.09);
        assertThat(both.upper()).isGreaterThan(0.09);
        assertThat(width(ImageBootstrap.of(List.of(gain)))).isLessThan(0.04);
    }

    @Test
    void models_that_never_differ_have_no_difference() {
        ImageBootstrap same = ImageBootstrap.of(List.of(difference(0, 0, 9), difference(0, 0, 5)));
        assertThat(same).isEqualTo(new ImageBootstrap(0, 0, 0));
    }

    @Test
    void an_accuracy_without_a_mistake_is_not_certain() {
        ImageValues perfect = ImageValues.correct(List.of(seed(410, 0, 410)));
        ImageBootstrap interval = ImageBootstrap.ofAccuracy(List.of(perfect, perfect));
        assertThat(interval.mean()).isEqualTo(1);
        assertThat(interval.lower()).isCloseTo(Math.pow(0.025, 1.0 / 410), within(1e-12));
        assertThat(interval.upper()).isEqualTo(1);
        ImageValues none = ImageValues.correct(List.of(seed(10, 0, 0)));
        assertThat(ImageBootstrap.ofAccuracy(List.of(none)).upper()).isGreaterThan(0.2);
    }

    @Test
    void different_images_and_missing_images_are_refused() {
        assertThatThrownBy(() -> ImageValues.difference(List.of(List.of(true)), List.of(List.of(true, false))))
                .hasMessageContaining("1 and 2 images");
        assertThatThrownBy(() -> ImageValues.correct(List.of(List.of(true), List.of(true, false))))
                .hasMessageContaining("group runs by their test images");
        assertThatThrownBy(() -> ImageValues.correct(List.of())).hasMessageContaining("at least one image");
        assertThatThrownBy(() -> ImageBootstrap.of(List.of())).hasMessageContaining("at least one split");
    }
}
