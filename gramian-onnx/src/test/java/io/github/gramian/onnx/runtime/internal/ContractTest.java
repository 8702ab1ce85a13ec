package io.github.gramian.onnx.runtime.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.image.Normalisation;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.ModelMetadata;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Graphs that differ from their description are refused when they are loaded, with the difference. */
class ContractTest {

    private static final SmallGraphs ONE = graphs(16);

    @TempDir
    Path folder;

    private static SmallGraphs graphs(Integer... sizes) {
        return new SmallGraphs(List.of(sizes), Normalisation.TORCHVISION, false);
    }

    private void refused(SmallGraphs graph, Map<String, String> metadata, String... words) throws IOException {
        Path file = graph.write(folder.resolve("model.onnx"), metadata);
        assertThatThrownBy(() -> BatchPredictor.load(file))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContainingAll(words);
    }

    /** Of another model, sealed like any. */
    private static Map<String, String> changed(String key, String value) {
        Map<String, String> metadata = new TreeMap<>(ModelMetadata.of(ONE.description()));
        metadata.put(key, value);
        ModelMetadata.seal(metadata);
        return Map.of(Contract.MODEL, ModelMetadata.toJson(metadata));
    }

    @Test
    void a_graph_without_a_description_is_refused() throws IOException {
        refused(ONE, Map.of(), "its metadata lacks gramian.model", "gramian export");
    }

    @Test
    void a_description_that_cannot_be_read_is_refused() throws IOException {
        for (String text : List.of("", "no JSON", "[]", "{\"format\": {}}", "{\"format\": 1}", "{} {}")) {
            refused(ONE, Map.of(Contract.MODEL, text), "model.onnx");
        }
        refused(ONE, Map.of(Contract.MODEL, "{\"format\": null}"), "not a model");
    }

    @Test
    void a_changed_description_is_refused() throws IOException {
        String honest = ONE.metadata().getOrDefault(Contract.MODEL, "");
        refused(ONE, Map.of(Contract.MODEL, honest.replace("moss", "mess")), "was changed");
        refused(ONE, changed("format", "gramian-model/2"), "install a newer gramian");
    }

    @Test
    void inputs_of_another_size_or_number_are_refused() throws IOException {
        refused(graphs(15), ONE.metadata(), "'images'", "[-1, 3, 15, 15]", "[-1, 3, 16, 16]");
        refused(graphs(16, 32), ONE.metadata(), "2 inputs", "1 scales");
        refused(ONE, graphs(16, 32).metadata(), "1 inputs", "2 scales");
    }

    @Test
    void outputs_of_another_length_are_refused() throws IOException {
        refused(ONE, changed("classes", "[\"moss\", \"bark\"]"), "'probabilities'", "[-1, 2]");
        refused(ONE, changed("inputChannels", "[512]"), "'descriptor'", "[-1, 512]");
    }
}
