package io.github.gramian.recipe;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Recipes that cannot be read, and the messages about them. */
class RecipeRefusalTest {

    @TempDir
    Path folder;

    private static Recipe parse(String yaml, String... settings) {
        return RecipeFile.parse(yaml, List.of(settings));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sead: 1 | did you mean 'seed'",
                "stage1: {epoch: 1} | did you mean 'epochs'",
                "stage1: {rates: {clasifier: 1}} | did you mean 'classifier'",
                "data: {image: x} | did you mean 'images'",
                "network: {branches: [{tab: x}]} | did you mean 'tap'",
                "network: {branches: [{aggregator: {aggregation: {kernal: linear}}}]} | did you mean 'kernel'",
                "network: {branches: [{aggregator: {aggregation: {kernel: {kind: rbf, bandwith: 1}}}}]} | did you mean 'bandwidth'",
                "network: {branches: [{aggregator: {aggregation: {kernel: lineer}}}]} | did you mean 'linear'",
                "network: {branches: [{descriptor: {powerEpsilom: 1}}]} | did you mean 'powerEpsilon'",
                "refit: bets | did you mean 'best'",
                "stage1: {schedule: cosinus} | did you mean 'cosine'",
                "ridge: {lambda: [1]} | did you mean 'lambdas'",
                "colour: red | known are [",
            })
    void a_misspelt_key_names_the_nearest_at_every_level(String yaml, String advice) {
        assertThatThrownBy(() -> parse(yaml))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(advice);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "stage1.epoch=1 | did you mean 'epochs'",
                "stagge1.epochs=1 | did you mean 'stage1'",
                "network.branches.first.size=1 | by its index",
                "network.branches.3.size=1 | has 1",
                "network.branches.3={size: 4} | has 1",
                "network.branches.-1.size=1 | has 1",
                "seed.value=1 | unknown key",
                "seed | key=value",
                "=1 | key=value",
                "seed=[ | not YAML",
                "seed=one | seed",
                "seed= | seed",
                "stage1.epochs=-1 | epochs must lie in 0..100000",
                "stage1.epochs=1.5 | epochs",
                "stage1.batch=2147483647 | batch and accumulate must lie in 1..1000000",
                "stage1.accumulate=0 | batch and accumulate must lie in 1..1000000",
                "data.images=~ | data.images",
            })
    void an_invalid_setting_is_explained(String setting, String advice) {
        assertThatThrownBy(() -> parse("", setting))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(advice);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "just words | list of keys and values",
                "[1, 2] | list of keys and values",
                "seed: [ | not YAML",
                "seed: 1\\nseed: 2 | not YAML",
                "seed: 1\\n---\\nseed: 2 | not YAML",
                "seed: !!javax.script.ScriptEngineManager [] | seed",
                "network: {branches: } | branches",
                "data: &a {images: x}\\nviews: *a | anchor",
            })
    void what_is_not_a_recipe_is_refused(String yaml, String advice) {
        assertThatThrownBy(() -> parse(yaml.replace("\\n", "\n")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(advice);
    }

    @Test
    @Timeout(10)
    void nested_anchors_or_brackets_do_not_exhaust_memory() {
        StringBuilder laughs = new StringBuilder("a0: &a0 [lol, lol]\n");
        for (int i = 1; i < 40; i++) {
            String before = "*a" + (i - 1);
            laughs.append(String.format(Locale.ROOT, "a%d: &a%d [%s, %s, %s]\n", i, i, before, before, before));
        }
        assertThatThrownBy(() -> parse(laughs.toString()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("anchor");
        String deep = "seed: " + "[".repeat(100_000) + "]".repeat(100_000);
        assertThatThrownBy(() -> parse(deep)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> parse("", deep.replace(": ", "="))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> parse("seed: " + "[".repeat(25) + "]".repeat(25)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not YAML");
    }

    @Test
    void a_file_that_is_too_large_is_not_read_and_an_invalid_one_is_named() throws IOException {
        Path large = folder.resolve("large.yaml");
        Files.write(large, new byte[(1 << 20) + 1]);
        assertThatThrownBy(() -> RecipeFile.read(large)).hasMessageContaining("too large");
        Path wrong = Files.writeString(folder.resolve("wrong.yaml"), "sead: 1");
        assertThatThrownBy(() -> RecipeFile.read(wrong))
                .hasMessageContaining("wrong.yaml")
                .hasMessageContaining("'seed'");
        assertThatThrownBy(() -> RecipeFile.read(folder.resolve("none.yaml"))).isInstanceOf(IOException.class);
    }
}
