package io.github.gramian.studio.project.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PhotographGroupsTest {

    private static final List<String> PATHS =
            List.of("part7-a.jpg", "part7-b.jpg", "part8-a.jpg", "other.jpg", "more.jpg");

    @Test
    void without_groups_each_photograph_stands_alone() {
        assertThat(new PhotographGroups(Map.of(), null).numbers(PATHS)).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void a_pattern_names_the_object_of_a_path() {
        assertThat(new PhotographGroups(Map.of(), "(part[0-9]+)-").numbers(PATHS))
                .containsExactly(0, 0, 1, 2, 3);
    }

    @Test
    void the_labels_file_comes_before_the_pattern() {
        Map<String, String> given = Map.of("part7-b.jpg", "lid", "other.jpg", "lid", "more.jpg", "");
        assertThat(new PhotographGroups(given, "(part[0-9]+)-").numbers(PATHS)).containsExactly(0, 1, 2, 1, 3);
    }
}
