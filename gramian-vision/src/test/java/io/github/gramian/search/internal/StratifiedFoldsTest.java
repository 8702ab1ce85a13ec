package io.github.gramian.search.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StratifiedFoldsTest {

    /** Images of classes of these sizes. */
    static List<Sample> images(int... sizes) {
        List<Sample> images = new ArrayList<>();
        for (int label = 0; label < sizes.length; label++) {
            for (int i = 0; i < sizes[label]; i++) {
                String id = label + "/" + i + ".png";
                images.add(new Sample(id, id, label));
            }
        }
        return images;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void each_fold_has_its_share_of_every_class(long seed) {
        List<Sample> images = images(10, 7, 23);
        StratifiedFolds folds = StratifiedFolds.of(images, Map.of(), new Seed(seed));
        assertThat(folds.count()).isEqualTo(5);
        assertThat(folds.assignments()).hasSize(StratifiedFolds.REPETITIONS);
        for (int[] assignment : folds.assignments()) {
            int[][] counts = new int[3][5];
            for (int i = 0; i < assignment.length; i++) {
                counts[images.get(i).label()][assignment[i]]++;
            }
            assertThat(counts[0]).containsOnly(2);
            assertThat(counts[1]).containsOnly(1, 2);
            assertThat(counts[2]).containsOnly(4, 5);
            for (int fold = 0; fold < 5; fold++) {
                assertThat(counts[0][fold] + counts[1][fold] + counts[2][fold]).isEqualTo(8);
            }
        }
        assertThat(folds.assignments().get(0)).isNotEqualTo(folds.assignments().get(1));
    }

    @Test
    void an_images_fold_depends_on_the_seed_and_not_on_the_order_of_the_images() {
        List<Sample> images = images(6, 6);
        List<Sample> shuffled = new ArrayList<>(images);
        Collections.shuffle(shuffled, new Random(5));
        int[] first =
                StratifiedFolds.of(images, Map.of(), new Seed(4)).assignments().get(0);
        int[] again = StratifiedFolds.of(shuffled, Map.of(), new Seed(4))
                .assignments()
                .get(0);
        for (int i = 0; i < images.size(); i++) {
            assertThat(again[shuffled.indexOf(images.get(i))]).isEqualTo(first[i]);
        }
        assertThat(StratifiedFolds.of(images, Map.of(), new Seed(5))
                        .assignments()
                        .get(0))
                .isNotEqualTo(first);
    }

    @Test
    void a_physical_sample_is_in_one_fold() {
        List<Sample> images = images(12, 12);
        Map<String, String> groups = new HashMap<>();
        for (int i = 0; i < images.size(); i++) {
            groups.put(images.get(i).id(), images.get(i).label() + " piece " + i % 3);
        }
        StratifiedFolds folds = StratifiedFolds.of(images, groups, new Seed(1));
        assertThat(folds.count()).isEqualTo(3);
        assertThat(folds.together()).isTrue();
        for (int[] assignment : folds.assignments()) {
            Map<String, Set<Integer>> seen = new HashMap<>();
            for (int i = 0; i < assignment.length; i++) {
                seen.computeIfAbsent(String.valueOf(groups.get(images.get(i).id())), key -> new HashSet<>())
                        .add(assignment[i]);
            }
            assertThat(seen.values()).allSatisfy(where -> assertThat(where).hasSize(1));
        }
    }

    @Test
    void a_class_of_one_physical_sample_is_divided_by_images_and_it_is_known() {
        List<Sample> images = images(6, 6);
        Map<String, String> groups = new HashMap<>();
        images.forEach(image -> groups.put(image.id(), image.label() + " a"));
        StratifiedFolds folds = StratifiedFolds.of(images, groups, new Seed(1));
        assertThat(folds.together()).isFalse();
        assertThat(folds.count()).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void groups_that_the_user_names_are_never_divided(long seed) {
        List<Sample> images = images(12, 3, 12);
        Map<String, String> groups = new HashMap<>();
        for (int i = 0; i < images.size(); i++) {
            // The second class has a single group, and a group shows the first and the third class.
            groups.put(images.get(i).id(), images.get(i).label() == 1 ? "only" : "object" + i % 5);
        }
        StratifiedFolds folds = StratifiedFolds.of(images, groups, true, new Seed(seed));
        assertThat(folds.count()).isEqualTo(2);
        for (int[] assignment : folds.assignments()) {
            Map<String, Integer> foldOf = new HashMap<>();
            for (int i = 0; i < assignment.length; i++) {
                Integer other = foldOf.putIfAbsent(
                        String.valueOf(groups.get(images.get(i).id())), assignment[i]);
                assertThat(other == null || other == assignment[i]).isTrue();
            }
            assertThat(foldOf.values()).contains(0, 1);
        }
    }

    @Test
    void small_classes_lower_the_number_of_folds_and_single_images_are_refused() {
        assertThat(StratifiedFolds.of(images(3, 9), Map.of(), new Seed(1)).count())
                .isEqualTo(3);
        assertThatThrownBy(() -> StratifiedFolds.of(images(1, 9), Map.of(), new Seed(1)))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("at least 4 images");
    }
}
