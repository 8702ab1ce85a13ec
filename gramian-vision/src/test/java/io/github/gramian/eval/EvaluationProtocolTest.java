package io.github.gramian.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EvaluationProtocolTest {

    private static EvaluationProtocol full() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        counts.put("train", 3594);
        counts.put("val", 0);
        counts.put("test", 1794);
        return EvaluationProtocol.ofData("dtd", "ab12", "standard (official, train+val)", "1", counts)
                .withViews(224, "train random+flip, test centre")
                .withBackbone("resnet50@res5c", "cd34")
                .withSeed(7)
                .withHardware("2 cores");
    }

    @Test
    void equal_conditions_are_comparable_whatever_the_seed_of_the_run_and_the_machine() {
        assertThat(full().differences(full().withSeed(8).withHardware("64 cores")))
                .isEmpty();
        assertThat(full().comparableWith(full())).isTrue();
    }

    @Test
    void every_condition_that_matters_is_named_where_it_differs() {
        EvaluationProtocol other = EvaluationProtocol.ofData(
                        "fmd", "ef56", "paper (3-fold, val kept)", "2 of seed 1", Map.of("train", 1))
                .withViews(448, "train whole, test whole")
                .withBackbone("vgg16@conv5_3", "0000");
        assertThat(full().differences(other))
                .extracting(EvaluationProtocol.Difference::field)
                .containsExactly(
                        "dataset",
                        "contentHash",
                        "protocol",
                        "split",
                        "counts",
                        "resolution",
                        "crops",
                        "backbone",
                        "weightsHash");
        assertThat(full().comparableWith(other)).isFalse();
        assertThat(full().differences(full().withViews(448, "train random+flip, test centre")))
                .extracting(Object::toString)
                .containsExactly("resolution: 224 against 448");
    }

    @Test
    void what_is_unknown_differs_from_what_is_known() {
        EvaluationProtocol start = EvaluationProtocol.ofData("dtd", "ab12", "p", "1", Map.of());
        assertThat(start.differences(start.withBackbone("vgg16", "ff")))
                .extracting(Object::toString)
                .containsExactly("backbone: null against vgg16", "weightsHash: null against ff");
    }

    @Test
    void the_map_of_fields_has_every_field_in_a_fixed_order() {
        assertThat(full().fields().keySet())
                .containsExactly(
                        "dataset",
                        "contentHash",
                        "protocol",
                        "split",
                        "counts",
                        "resolution",
                        "crops",
                        "backbone",
                        "weightsHash",
                        "seed",
                        "hardware");
        assertThat(full().fields()).containsEntry("seed", 7L).containsEntry("hardware", "2 cores");
    }

    @Test
    void a_protocol_cannot_be_changed_from_outside() {
        Map<String, Integer> counts = new HashMap<>(Map.of("train", 1));
        EvaluationProtocol protocol = EvaluationProtocol.ofData("dtd", "ab", "p", "1", counts);
        counts.put("train", 2);
        assertThat(protocol.counts()).containsEntry("train", 1);
        assertThatThrownBy(() -> protocol.fields().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void a_protocol_without_required_fields_is_refused() {
        assertThatThrownBy(() -> EvaluationProtocol.ofData("", "ab", "p", "1", Map.of()))
                .hasMessageContaining("needs a dataset");
        assertThatThrownBy(() -> full().withViews(0, "x")).hasMessageContaining("at least 1");
        assertThatThrownBy(() -> EvaluationProtocol.ofData("dtd", "ab", "p", "1", Map.of("train", -1)))
                .hasMessageContaining("count of train");
    }
}
