package io.github.gramian.dataset.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.DividedDataset.Listing;
import io.github.gramian.dataset.internal.DividedDataset.Partition;
import io.github.gramian.dataset.internal.Protocol.Validation;
import io.github.gramian.dataset.internal.SplitRule.Folds;
import io.github.gramian.dataset.internal.SplitRule.OfficialSplit;
import io.github.gramian.dataset.internal.SplitRule.RandomPerClass;
import io.github.gramian.dataset.internal.SplitRule.RandomShare;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupsTest {

    private static final String OBJECT = "(object[0-9]+)_";

    /** Objects of three classes with one to five photographs each; every seventh object shows two classes. */
    private static Listing listing() {
        List<Sample> samples = new ArrayList<>();
        for (int object = 0; object < 60; object++) {
            for (int view = 0; view <= object % 5; view++) {
                int label = object % 7 == 0 && view == 1 ? (object + 1) % 3 : object % 3;
                String path = "class" + label + "/object" + object + "_" + view + ".jpg";
                samples.add(new Sample(path, path, label));
            }
        }
        return new Listing(List.of("class0", "class1", "class2"), samples, List.of(), Groups.none(), List.of());
    }

    private static Set<String> groups(Listing listing, List<Sample> samples) {
        return samples.stream().map(listing.groups()::of).collect(Collectors.toSet());
    }

    private static void assertUndivided(Listing listing, Partition partition) {
        Set<String> seen = new HashSet<>();
        for (Split split : Split.values()) {
            Set<String> own = groups(listing, partition.samples(split));
            assertThat(own).isNotEmpty().noneMatch(seen::contains);
            seen.addAll(own);
        }
        assertThat(listing.groups().divided(partition)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void no_random_split_divides_a_group(long seed) {
        Listing listing = listing().groupedBy(OBJECT);
        for (SplitRule rule :
                List.of(new RandomShare(0.8), new RandomPerClass(30), new Folds(3), new OfficialSplit())) {
            Protocol protocol = new Protocol("standard", rule, new Validation.Carved(0.2), "");
            Partition partition = protocol.partition(listing, 1, new Seed(seed));
            assertUndivided(listing, partition);
            assertThat(protocol.describe(listing, 1, new Seed(seed)))
                    .endsWith(", 60 groups by the pattern (object[0-9]+)_)");
        }
        Partition images = new RandomShare(0.8).divide(listing(), 1, new Seed(seed));
        assertThat(listing.groups().divided(images))
                .as("without groups objects are divided")
                .isNotEmpty();
    }

    @Test
    void a_group_share_is_as_near_to_the_wanted_one_as_groups_allow() {
        Listing listing = listing().groupedBy(OBJECT);
        int images = listing.samples().size();
        Partition partition = new RandomShare(0.8).divide(listing, 1, new Seed(5));
        assertThat(partition.train().size()).isBetween((int) (0.75 * images), (int) (0.85 * images));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void folds_test_every_image_once_and_have_about_equal_sizes(long seed) {
        Listing listing = listing().groupedBy(OBJECT);
        Map<String, Integer> foldOf = Strata.groupFolds(listing.samples(), listing.groups(), 5, new Seed(seed));
        int[] sizes = new int[5];
        Map<String, Integer> foldOfGroup = new HashMap<>();
        for (Sample sample : listing.samples()) {
            int fold = foldOf.getOrDefault(sample.id(), -1);
            sizes[fold]++;
            Integer other = foldOfGroup.putIfAbsent(listing.groups().of(sample), fold);
            assertThat(other == null || other == fold).isTrue();
        }
        for (int size : sizes) {
            assertThat(size)
                    .isBetween(
                            listing.samples().size() / 5 - 6, listing.samples().size() / 5 + 6);
        }
    }

    @Test
    void a_released_split_that_divides_a_group_is_reported_with_both_images() {
        Listing plain = listing();
        Map<String, Split> splits = new HashMap<>();
        plain.samples()
                .forEach(sample -> splits.put(sample.id(), sample.path().contains("_0") ? Split.TEST : Split.TRAIN));
        Listing listing = new Listing(
                        plain.classes(),
                        plain.samples(),
                        List.of(Partition.of(plain.samples(), splits)),
                        Groups.none(),
                        List.of())
                .groupedBy(OBJECT);
        Protocol released = new Protocol("released", new OfficialSplit(), new Validation.Unchanged(), "");
        List<Groups.Divided> divided = listing.groups().divided(released.partition(listing, 1, new Seed(0)));
        assertThat(divided).hasSize(48); // objects with one photograph cannot be divided
        assertThat(divided.get(0).seen().path()).contains(divided.get(0).group());
        assertThat(released.describe(listing, 1, new Seed(0)))
                .contains("60 groups")
                .contains("48 of them divided");
    }

    @Test
    void patterns_that_name_no_groups_are_refused() {
        assertThatThrownBy(() -> listing().groupedBy("(thing[0-9]+)"))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("fits no path, such as class0/");
        assertThatThrownBy(() -> listing().groupedBy("(class)")).hasMessageContaining("all images are in one group");
        assertThatThrownBy(() -> listing().groupedBy("object")).hasMessageContaining("has no capture group");
        assertThatThrownBy(() -> listing().groupedBy(OBJECT).groupedBy(OBJECT))
                .hasMessageContaining("names the groups already");
    }

    @Test
    void images_that_the_pattern_does_not_fit_stand_alone() {
        Listing listing = listing().groupedBy("(object1[0-9])_");
        assertThat(listing.groups().count(listing.samples())).isEqualTo(10);
        int[] numbers = listing.groups().numbers(listing.samples());
        assertThat(java.util.Arrays.stream(numbers).distinct().count())
                .isEqualTo(10
                        + listing.samples().stream()
                                .filter(sample -> !sample.path().contains("object1")
                                        || sample.path().contains("object1_"))
                                .count());
    }
}
