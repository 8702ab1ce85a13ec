package io.github.gramian.dataset.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.internal.DividedDataset.Listing;
import io.github.gramian.dataset.internal.DividedDataset.Partition;
import io.github.gramian.dataset.internal.Protocol.Validation;
import io.github.gramian.dataset.internal.SplitRule.FewPerClass;
import io.github.gramian.dataset.internal.SplitRule.Folds;
import io.github.gramian.dataset.internal.SplitRule.PhysicalSamples;
import io.github.gramian.dataset.internal.SplitRule.RandomPerClass;
import io.github.gramian.dataset.internal.SplitRule.RandomShare;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SplitRuleTest {

    private static Listing listing(int classes, int imagesPerClass) {
        List<Sample> samples = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int label = 0; label < classes; label++) {
            names.add("class" + label);
            for (int i = 0; i < imagesPerClass; i++) {
                String path = "class" + label + "/" + i + ".jpg";
                samples.add(new Sample(path, path, label));
            }
        }
        return plain(names, samples);
    }

    /** A listing without official splits, groups or other files. */
    private static Listing plain(List<String> classes, List<Sample> samples) {
        return new Listing(classes, samples, List.of(), Groups.none(), List.of());
    }

    private static Map<Integer, Long> perClass(List<Sample> samples) {
        return samples.stream().collect(Collectors.groupingBy(Sample::label, Collectors.counting()));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void a_random_fraction_takes_the_same_number_from_every_class(long seed) {
        Partition partition = new RandomShare(0.8).divide(listing(4, 10), 1, new Seed(seed));
        assertThat(perClass(partition.train())).containsValues(8L, 8L, 8L, 8L).hasSize(4);
        assertThat(perClass(partition.test())).containsValues(2L).hasSize(4);
        assertThat(partition.validation()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void a_seed_always_means_the_same_split_and_another_seed_or_number_another(long seed) {
        SplitRule rule = new RandomPerClass(5);
        Listing listing = listing(3, 20);
        Partition partition = rule.divide(listing, 1, new Seed(seed));
        assertThat(rule.divide(listing, 1, new Seed(seed))).isEqualTo(partition);
        assertThat(rule.divide(listing, 2, new Seed(seed))).isNotEqualTo(partition);
        assertThat(rule.divide(listing, 1, new Seed(seed + 100))).isNotEqualTo(partition);
        assertThat(perClass(partition.train())).containsOnly(Map.entry(0, 5L), Map.entry(1, 5L), Map.entry(2, 5L));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void the_order_in_which_files_were_found_does_not_matter(long seed) {
        Listing listing = listing(3, 20);
        List<Sample> shuffled = new ArrayList<>(listing.samples());
        Collections.shuffle(shuffled, new Random(seed));
        Listing other = plain(listing.classes(), shuffled);
        SplitRule rule = new RandomShare(0.5);
        assertThat(rule.divide(other, 1, new Seed(seed))).isEqualTo(rule.divide(listing, 1, new Seed(seed)));
    }

    @Test
    void a_draw_is_the_same_on_every_machine_and_java() {
        Partition partition = new RandomPerClass(2).divide(listing(1, 8), 1, new Seed(7));
        assertThat(partition.train().stream().map(Sample::path).toList())
                .containsExactly("class0/0.jpg", "class0/4.jpg");
    }

    @Test
    void no_image_is_drawn_much_more_often_than_another() {
        Listing listing = listing(1, 10);
        Map<String, Integer> drawn = new HashMap<>();
        for (long seed = 0; seed < 2000; seed++) {
            new RandomShare(0.5)
                    .divide(listing, 1, new Seed(seed))
                    .train()
                    .forEach(sample -> drawn.merge(sample.id(), 1, Integer::sum));
        }
        // 1000 ± 4.5 standard deviations of a binomial with n = 2000, p = 1/2.
        assertThat(drawn.values()).allSatisfy(count -> assertThat(count).isBetween(900, 1100));
    }

    @Test
    void a_fraction_leaves_test_images_even_of_tiny_classes() {
        Partition partition = new RandomShare(0.99).divide(listing(2, 3), 1, new Seed(1));
        assertThat(perClass(partition.test())).containsOnly(Map.entry(0, 1L), Map.entry(1, 1L));
    }

    @Test
    void folds_test_every_image_exactly_once() {
        Listing listing = listing(3, 10);
        Set<String> tested = new HashSet<>();
        int tests = 0;
        for (int number = 1; number <= 3; number++) {
            Partition partition = new Folds(3).divide(listing, number, new Seed(5));
            partition.test().forEach(sample -> tested.add(sample.id()));
            tests += partition.test().size();
            assertThat(partition.train()).hasSize(30 - partition.test().size());
            assertThat(perClass(partition.test()).values()).allMatch(count -> count == 3 || count == 4);
        }
        assertThat(tests).isEqualTo(30);
        assertThat(tested).hasSize(30);
    }

    @Test
    void a_class_that_is_too_small_is_named_with_advice() {
        assertThatThrownBy(() -> new RandomPerClass(10).divide(listing(1, 10), 1, new Seed(1)))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("only 10 images")
                .hasMessageContaining("another protocol");
    }

    @Test
    void a_split_number_out_of_range_is_refused_with_the_range() {
        assertThatThrownBy(() -> new Folds(3).divide(listing(1, 10), 4, new Seed(1)))
                .hasMessage("split must lie in 1..3 for 3-fold but is 4");
        assertThatThrownBy(() -> new RandomShare(0.5).divide(listing(1, 10), 0, new Seed(1)))
                .hasMessage("split must be 1 or more for random-50-50 but is 0");
    }

    @Test
    void validation_is_held_out_of_training_images_only_where_there_is_none() {
        Listing listing = listing(4, 20);
        Protocol protocol = new Protocol("p", new RandomShare(0.5), new Validation.Carved(0.2), "test");
        Partition carved = protocol.partition(listing, 1, new Seed(3));
        Partition plain = new RandomShare(0.5).divide(listing, 1, new Seed(3));
        assertThat(carved.test()).isEqualTo(plain.test());
        assertThat(perClass(carved.train())).containsValues(8L).hasSize(4);
        assertThat(perClass(carved.validation())).containsValues(2L).hasSize(4);
        assertThat(plain.train()).containsAll(carved.validation());
        assertThat(new Validation.Carved(0.5).apply(carved, Groups.none(), new Seed(1)))
                .isEqualTo(carved);
        assertThat(new Validation.Merged().apply(carved, Groups.none(), new Seed(1)))
                .isEqualTo(plain);
        assertThat(new Validation.Carved(0.5).describe(plain)).isEqualTo("val 0.5 of train");
        assertThat(new Validation.Carved(0.5).describe(carved))
                .as("the dataset's own validation images are used, whatever share was given")
                .isEqualTo("val kept");
    }

    @Test
    void physical_samples_never_stand_on_both_sides() {
        Listing plain = listing(2, 8);
        Map<String, String> groups = new HashMap<>();
        plain.samples()
                .forEach(sample -> groups.put(
                        sample.id(),
                        PhysicalSamples.group(
                                sample.label(), "sample_" + sample.path().charAt(7) % 4)));
        Listing listing = new Listing(plain.classes(), plain.samples(), List.of(), Groups.ofLayout(groups), List.of());
        for (int number = 1; number <= 4; number++) {
            Partition one = new PhysicalSamples(1).divide(listing, number, new Seed(0));
            Partition three = new PhysicalSamples(3).divide(listing, number, new Seed(9));
            assertThat(one.train()).hasSize(4).isEqualTo(three.test());
            assertThat(one.test()).hasSize(12).isEqualTo(three.train());
        }
        assertThatThrownBy(() -> new PhysicalSamples(1).divide(plain, 1, new Seed(0)))
                .hasMessageContaining("needs four samples");
    }

    @Test
    void a_sample_cannot_train_and_test() {
        Sample sample = new Sample("a", "a.jpg", 0);
        assertThatThrownBy(() -> new Partition(List.of(sample), List.of(), List.of(sample)))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("a.jpg is listed in two");
    }

    @Test
    void split_rules_and_fractions_check_themselves() {
        assertThatThrownBy(() -> new RandomShare(1)).hasMessageContaining("between 0 and 1");
        assertThatThrownBy(() -> new RandomPerClass(0)).hasMessageContaining("at least 1");
        assertThatThrownBy(() -> new Folds(1)).hasMessageContaining("at least 2");
        assertThatThrownBy(() -> new PhysicalSamples(2)).hasMessageContaining("1 or 3");
        assertThatThrownBy(() -> new Validation.Carved(Double.NaN)).hasMessageContaining("between 0 and 1");
        assertThatThrownBy(() -> new Sample("", "x", 0)).hasMessageContaining("needs an id");
        assertThatThrownBy(() -> new Sample("x", "x", -1)).hasMessageContaining("0 or more");
        assertThatThrownBy(() -> listing(0, 0)).hasMessageContaining("no images");
        Sample sample = new Sample("a", "a.jpg", 1);
        assertThatThrownBy(() -> plain(List.of("one"), List.of(sample)))
                .hasMessageContaining("the dataset has only 1 class");
        assertThatThrownBy(() -> plain(List.of("one", "two"), List.of(sample, sample)))
                .hasMessageContaining("two images have the id a");
    }

    @Test
    void few_images_are_drawn_from_the_training_images_and_test_images_do_not_change() {
        Listing listing = listing(3, 20);
        SplitRule whole = new RandomPerClass(12);
        Partition all = whole.divide(listing, 1, new Seed(1));
        Partition few = new FewPerClass(whole, 5).divide(listing, 1, new Seed(1));
        assertThat(few.test()).isEqualTo(all.test());
        assertThat(all.train()).containsAll(few.train());
        assertThat(perClass(few.train())).containsOnly(Map.entry(0, 5L), Map.entry(1, 5L), Map.entry(2, 5L));
        assertThat(few.validation()).isEmpty();
        assertThat(new FewPerClass(whole, 9).divide(listing, 1, new Seed(1)).train())
                .containsAll(few.train());
        assertThat(new FewPerClass(whole, 5).divide(listing, 1, new Seed(2)).train())
                .isNotEqualTo(few.train());
    }

    @Test
    void more_than_there_are_is_refused_with_advice() {
        assertThatThrownBy(() -> new FewPerClass(new RandomPerClass(12), 13).divide(listing(2, 20), 1, new Seed(1)))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("only 12 training images")
                .hasMessageContaining("few-12");
        assertThatThrownBy(() -> new FewPerClass(new RandomPerClass(1), 5).divide(listing(2, 20), 1, new Seed(1)))
                .hasMessageContaining("add images to it")
                .hasMessageNotContaining("few-");
        assertThatThrownBy(() -> new FewPerClass(new RandomPerClass(12), 1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
