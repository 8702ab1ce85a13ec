package io.github.gramian.recipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.KernelConfig;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.internal.Cpu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecipeFileTest {

    static Stream<Path> recipes() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("..", "recipes"))) {
            return files.sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("recipes")
    void every_recipe_that_comes_along_can_be_read(Path recipe) throws IOException {
        Recipe read = RecipeFile.read(recipe);
        assertThat(RecipeFile.parse(RecipeFile.text(read), List.of())).isEqualTo(read);
    }

    @TempDir
    Path folder;

    private static Recipe parse(String yaml, String... settings) {
        return RecipeFile.parse(yaml, List.of(settings));
    }

    private static AggregatorConfig.SpdMatrix matrix(Recipe recipe, int branch) {
        return (AggregatorConfig.SpdMatrix)
                recipe.network().branches().get(branch).aggregator();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n\n", "# nothing but a remark\n", "{}", "---\n"})
    void an_empty_recipe_is_the_standard_one(String yaml) {
        assertThat(parse(yaml)).isEqualTo(Recipe.standard());
    }

    @Test
    void the_standard_recipe_gives_every_key() {
        Recipe standard = Recipe.standard();
        assertThat(RecipeFile.complete(RecipeFile.text(standard))).isEqualTo(standard);
        assertThatThrownBy(() -> RecipeFile.complete("seed: 1")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_precision_that_is_left_to_the_machine_is_settled_when_the_recipe_is_read() {
        Precision fastest = Cpu.fastestPrecision();
        assertThat(Recipe.standard().backbone().precision()).isEqualTo(fastest);
        assertThat(parse("backbone: {precision: auto}").backbone().precision()).isEqualTo(fastest);
        assertThat(parse("backbone: {device: cuda}").backbone().precision()).isEqualTo(Precision.BFLOAT16);
        assertThat(parse("backbone: {precision: double}").backbone().precision())
                .isEqualTo(Precision.DOUBLE);
        assertThat(RecipeFile.text(parse(""))).doesNotContain("auto");
    }

    /** The jar carries its own copy, so that the library needs no directory next to it. */
    @Test
    void the_folder_of_recipes_shows_the_defaults_of_the_jar_byte_for_byte() throws IOException {
        assertThat(Path.of("..", "recipes", "standard.yaml"))
                .content(java.nio.charset.StandardCharsets.UTF_8)
                .isEqualTo(RecipeFile.StandardRecipe.text());
    }

    @Test
    void keys_that_are_left_out_have_their_defaults() {
        Recipe recipe = parse("""
                stage1:
                  epochs: 3
                  rates: {transform: 0.5}
                data:
                  images: photos
                """);
        Recipe standard = Recipe.standard();
        assertThat(recipe.stage1().batches().epochs()).isEqualTo(3);
        assertThat(recipe.stage1().rates().transform()).isEqualTo(0.5);
        assertThat(recipe.stage1().rates().bias())
                .isEqualTo(standard.stage1().rates().bias());
        assertThat(recipe.stage1().batches().batch())
                .isEqualTo(standard.stage1().batches().batch());
        assertThat(recipe.data().images()).isEqualTo("photos");
        assertThat(recipe.data().protocol()).isEqualTo(standard.data().protocol());
        assertThat(recipe.network()).isEqualTo(standard.network());
    }

    @Test
    void every_branch_starts_from_the_default_branch() {
        Recipe recipe = parse("""
                network:
                  branches:
                    - tap: res4f
                    - {size: 448, aggregator: average}
                """);
        BranchConfig standard = Recipe.standard().network().branches().get(0);
        assertThat(recipe.network().branches()).hasSize(2);
        BranchConfig first = recipe.network().branches().get(0);
        assertThat(first.tap()).isEqualTo("res4f");
        assertThat(first.size()).isEqualTo(standard.size());
        assertThat(first.aggregator()).isEqualTo(standard.aggregator());
        BranchConfig second = recipe.network().branches().get(1);
        assertThat(second.tap()).isEqualTo(standard.tap());
        assertThat(second.aggregator()).isEqualTo(new AggregatorConfig.Average());
        assertThat(recipe.network().logitScale())
                .isEqualTo(Recipe.standard().network().logitScale());
    }

    @Test
    void only_the_kind_is_enough_where_it_has_no_settings_or_shares_them() {
        assertThat(matrix(parse("network: {branches: [{aggregator: {aggregation: {kernel: linear}}}]}"), 0)
                        .aggregation()
                        .kernel())
                .isEqualTo(new KernelConfig.Linear());
        Bandwidth standard = ((KernelConfig.Rbf)
                        matrix(parse("network: {branches: [{aggregator: {aggregation: {kernel: rbf}}}]}"), 0)
                                .aggregation()
                                .kernel())
                .bandwidth();
        assertThat(matrix(parse("network: {branches: [{aggregator: {aggregation: {kernel: laplacian}}}]}"), 0)
                        .aggregation()
                        .kernel())
                .isEqualTo(new KernelConfig.Laplacian(standard));
        assertThatThrownBy(() -> parse("network: {branches: [{aggregator: {aggregation: {kernel: polynomial}}}]}"))
                .hasMessageContaining("degree");
    }

    @Test
    void a_transformation_needs_nothing_but_its_size() {
        AggregatorConfig.SpdMatrix found = matrix(
                parse(
                        "network: {branches: [{aggregator: {transforms: [{outputDim: 64}, {outputDim: 32, activation: relu}]}}]}"),
                0);
        assertThat(found.transforms())
                .containsExactly(
                        TransformConfig.to(64),
                        new TransformConfig(
                                32,
                                TransformConfig.to(1).manifold(),
                                new TransformConfig.Activation.ElementwiseRelu()));
        assertThatThrownBy(() -> parse("network: {branches: [{aggregator: {transforms: [{activation: relu}]}}]}"))
                .hasMessageContaining("outputDim");
    }

    @Test
    void settings_reach_every_place() {
        Recipe recipe = parse(
                "seed: 3",
                "stage1.epochs=5",
                "network.branches.0.size=448",
                "network.branches.0.aggregator.aggregation.kernel=linear",
                "network.branches.0.aggregator.transforms=[{outputDim: 16}]",
                "data.images=some = folder: with signs",
                "data.layout=dtd",
                "stage1.rates.classifier=1e-2",
                "ridge.lambdas=[0.1, 1]",
                "refit=always");
        assertThat(recipe.seed()).isEqualTo(3);
        assertThat(recipe.stage1().batches().epochs()).isEqualTo(5);
        assertThat(recipe.network().branches().get(0).size()).isEqualTo(448);
        assertThat(matrix(recipe, 0).aggregation().kernel()).isEqualTo(new KernelConfig.Linear());
        assertThat(matrix(recipe, 0).transforms()).containsExactly(TransformConfig.to(16));
        assertThat(recipe.data().layout()).isEqualTo("dtd");
        assertThat(recipe.data().images()).isEqualTo("some = folder: with signs");
        assertThat(parse("", "data.images=[draft] photos").data().images()).isEqualTo("[draft] photos");
        assertThat(parse("", "data.images=0123").data().images()).isEqualTo("0123");
        assertThat(parse("", "data.images='quoted'").data().images()).isEqualTo("quoted");
        assertThat(recipe.stage1().rates().classifier()).isEqualTo(0.01);
        assertThat(recipe.ridge().lambdas()).containsExactly(0.1, 1.0);
        assertThat(recipe.refit()).isEqualTo(RidgeConfig.Refit.ALWAYS);
        assertThat(parse("", "data.layout=dtd", "data.layout=null").data().layout())
                .isNull();
    }

    @Test
    void the_text_of_a_recipe_is_complete_and_stable() throws IOException {
        Recipe recipe = parse(
                "network: {branches: [{aggregator: {aggregation: {kernel: laplacian}, transforms: [{outputDim: 4}]}}, {aggregator: {kind: custom, name: own, settings: {b: x, a: '1'}}}]}",
                "stage2.epochs=2",
                "stage2.trainFrom=res5a");
        String text = RecipeFile.text(recipe);
        assertThat(parse(text)).isEqualTo(recipe);
        Recipe unclipped = parse("", "stage1.rates.convolutionClip=Infinity");
        assertThat(unclipped.stage1().rates().convolutionClip()).isInfinite();
        assertThat(parse(RecipeFile.text(unclipped))).isEqualTo(unclipped);
        assertThat(RecipeFile.text(parse(text))).isEqualTo(text);
        assertThat(text).contains("seed:", "lambdas:", "mapCentring:", "trainFrom: res5a");
        Path file = folder.resolve("run/recipe.yaml");
        RecipeFile.keep(file, recipe);
        assertThat(RecipeFile.read(file)).isEqualTo(recipe);
        assertThat(RecipeFile.readStored(file)).isEqualTo(recipe);
        Files.writeString(file, Files.readString(file).replace("seed: ", "seed: 1"));
        assertThatThrownBy(() -> RecipeFile.readStored(file))
                .hasMessageContaining("was changed")
                .hasMessageContaining("gramian train " + file + " --out");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0123",
                "1_000",
                "1.10",
                "1e3",
                "0x10",
                "null",
                "~",
                "true",
                "yes",
                "No",
                "*x",
                "&x",
                "# a",
                "a #b",
                "a: b",
                "'quoted'",
                "\"twice\"",
                " led",
                "trailed ",
                "ümläut/图片",
                "C:\\photos",
                "two\nlines",
                "- a",
                "[a]",
                "{a}",
                "%a",
                "@a",
                "`a`",
                "!a",
                "|",
                ">",
                ".inf",
                "2001-01-01",
                "12:30:45",
                "+1",
                "="
            })
    void any_name_of_a_folder_survives_the_file(String images) {
        Recipe recipe = Recipe.standard().on(images, "weights");
        assertThat(parse(RecipeFile.text(recipe)).data().images()).isEqualTo(images);
    }

    @Test
    void a_string_on_the_command_line_has_no_comments() {
        for (String images : List.of("/x/shots #2", "shots # 2: all", "#2", "a  b #", "'x' # y")) {
            String given = images.startsWith("'") ? "'" + images.replace("'", "''") + "'" : images;
            assertThat(parse("", "data.images=" + given).data().images()).isEqualTo(images);
        }
        assertThat(parse("", "data.layout=dtd #2").data().layout()).isEqualTo("dtd #2");
        assertThat(parse("", "data.images='/x/a #1'").data().images()).isEqualTo("/x/a #1");
        assertThat(parse("", "stage1.epochs=7").stage1().batches().epochs()).isEqualTo(7);
    }

    @Test
    void with_changes_one_setting_by_its_key_as_set_does() {
        Recipe recipe = Recipe.standard().with("stage1.epochs", 5).withSeed(7).with("data.images", Path.of("it's"));
        assertThat(recipe).isEqualTo(RecipeFile.parse("", List.of("stage1.epochs=5", "seed=7", "data.images='it''s'")));
        assertThatThrownBy(() -> Recipe.standard().with("stage1.epoch", 5)).hasMessageContaining("epochs");
        assertThatThrownBy(() -> Recipe.standard().with("stagee1.epochs", 5)).hasMessageContaining("stage1");
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
