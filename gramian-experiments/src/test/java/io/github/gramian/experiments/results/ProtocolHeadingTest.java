package io.github.gramian.experiments.results;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.internal.ImageBootstrap;
import io.github.gramian.eval.internal.Spread;
import io.github.gramian.experiments.grid.ResultTable;
import io.github.gramian.experiments.grid.RunCount;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.recipe.ViewsConfig;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProtocolHeadingTest {

    @Test
    void the_centre_crop_is_not_mentioned() {
        assertThat(heading(views("centre"))).isEqualTo("resnet50 res5c@224, 224 px");
        assertThat(heading(null)).isEqualTo("resnet50 res5c@224, 224 px");
    }

    @Test
    void other_views_distinguish_two_tables_of_one_network() {
        assertThat(heading(views("five"))).isEqualTo("resnet50 res5c@224, 224 px, views: five");
    }

    @Test
    void a_table_names_its_grid_where_another_would_be_called_alike() {
        ResultTable many = table("frozen", "trained");
        ResultTable one = table("fine-tune");
        assertThat(ProtocolHeading.of(one, List.of(many, one))).endsWith("224 px, grid fine-tune");
        assertThat(ProtocolHeading.of(many, List.of(many, one))).endsWith("224 px");
        assertThat(ProtocolHeading.of(one, List.of(one))).endsWith("224 px");
    }

    /** As trainings write it into an evaluation protocol: the heading is read from this text. */
    private static String views(String test) {
        return new ViewsConfig(Preprocessing.Decoding.REDUCED, 8 / 7.0, "random:1", "mirror:0.5", test, "").describe();
    }

    private static ResultTable table(String... grids) {
        return new ResultTable(
                "dtd",
                protocol(views("centre")),
                Stream.of(grids)
                        .map(grid -> new ResultTable.Row(
                                grid,
                                "kernel",
                                "Kernel",
                                8,
                                new RunCount(1, 1),
                                new ImageBootstrap(0.5, 0.4, 0.6),
                                new Spread(1, 0.5, Double.NaN),
                                1,
                                false,
                                null))
                        .toList());
    }

    private static String heading(@Nullable String crops) {
        return ProtocolHeading.of(protocol(crops));
    }

    private static EvaluationProtocol protocol(@Nullable String crops) {
        return new EvaluationProtocol(
                "dtd", "hash", "standard", "1", Map.of(), 224, crops, "resnet50 res5c@224", null, 1L, null);
    }
}
