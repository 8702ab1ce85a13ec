package io.github.gramian.search.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SearchSpaceTest {

    private static final String SMALL = """
            name: small
            common: {stage1: {epochs: 0}}
            inputs:
              near: {label: 48 px, branches: [{tap: last, size: 48}]}
              both: {branches: [{tap: last, size: 48}, {tap: layer3, size: 48}], recipe: {views: {test: five}}}
            heads:
              average: {label: Average, branches: [{convolution: 0, aggregator: average}]}
              pair: {branches: [{convolution: 8, aggregator: spd}, {convolution: 0, aggregator: average}]}
            """;

    @TempDir
    Path folder;

    @Test
    void a_candidate_has_a_branch_for_each_branch_of_its_input_and_its_head() {
        List<Candidate> candidates = SearchSpace.parse(SMALL).candidates(List.of("seed=3"));
        assertThat(candidates.stream().map(Candidate::name))
                .containsExactly("average@near", "pair@near", "average@both", "pair@both");
        Candidate last = candidates.get(3);
        assertThat(last.recipe().network().branches()).hasSize(4);
        assertThat(last.recipe().network().branches().stream().map(branch -> branch.tap() + branch.convolution()))
                .containsExactly("last8", "layer38", "last0", "layer30");
        assertThat(last.recipe().views().test()).isEqualTo("five");
        assertThat(last.recipe().seed()).isEqualTo(3);
        assertThat(candidates.get(0).label()).isEqualTo("Average, 48 px");
        assertThat(last.work()).isEqualTo(5 * candidates.get(0).work());
    }

    @Test
    void the_space_that_ships_is_the_one_that_readers_see_and_every_recipe_of_it_is_valid() throws IOException {
        Path copy = Path.of("..", "grids", "search", "standard.yaml");
        assertThat(copy).hasContent(SearchSpace.standardText());
        List<Candidate> all = SearchSpace.standard().candidates(List.of());
        assertThat(all).hasSize(72);
        assertThat(all.stream().map(Candidate::work).toList()).isSorted();
        assertThat(SearchSpace.read(copy).candidates(List.of())).isEqualTo(all);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "heads: | haeds: | did you mean 'heads'",
                "label: Average, | lable: x, | did you mean 'label'",
                "branches: [{tap: last, size: 48}]} | branches: []} | needs branches",
                "branches: [{tap: last, size: 48}]} | branches: [last]} | a branch is keys and values",
                "branches: [{tap: last, size: 48}]} | branches: [{tap: last, size: 48, convolution: 3}]} | both the input and the head give 'convolution'",
                "aggregator: average | aggregator: avarage | avarage",
                "size: 48 | size: -3 | size",
                "{epochs: 0} | {epochs: 2} | stage1.epochs",
                "  near: |   ../near: | letters, digits",
                "name: small | nothing: 1 | unknown key",
                "{views: {test: five}} | {network: {branches: []}} | write them as branches",
                "{views: {test: five}} | [1] | part of a recipe"
            })
    void what_is_wrong_is_named(String good, String bad, String message) throws IOException {
        String text = SMALL.replace(good, bad);
        assertThat(text).isNotEqualTo(SMALL);
        Path file = Files.writeString(folder.resolve("space.yaml"), text);
        assertThatThrownBy(() -> SearchSpace.read(file).candidates(List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void files_that_are_something_else_are_refused() throws IOException {
        for (String text : List.of("", "[]", "3", "name: [", "\u0000\u0001", "a: &x 1\nb: *x\n")) {
            Path file = Files.writeString(folder.resolve("odd.yaml"), text);
            assertThatThrownBy(() -> SearchSpace.read(file))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("odd.yaml");
        }
        StringBuilder many = new StringBuilder("name: many\ninputs:\n");
        for (int i = 0; i < 40; i++) {
            many.append("  i").append(i).append(": {branches: [{tap: last, size: 48}]}\n");
        }
        many.append("heads:\n");
        for (int i = 0; i < 40; i++) {
            many.append("  h").append(i).append(": {branches: [{aggregator: average}]}\n");
        }
        assertThatThrownBy(() -> SearchSpace.parse(many.toString())).hasMessageContaining("1600 candidates");
    }
}
