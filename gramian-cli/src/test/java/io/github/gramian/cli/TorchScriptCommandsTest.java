package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.Needs;
import io.github.gramian.check.PythonProgram;
import io.github.gramian.check.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A network that Python has exported as TorchScript, from training to prediction: its code runs only after the user has agreed.
 */
@Tag("slow")
@Needs(Tool.TORCHVISION)
class TorchScriptCommandsTest {

    private static final String AGREE = "--trust-backbone-code";

    @TempDir
    static Path folder;

    private static Path module = Path.of("");

    @BeforeAll
    static void export_a_network_and_train_on_it() throws IOException {
        PythonProgram.run(Path.of("src/test/python/save_torchscript.py"), folder);
        module = folder.resolve("network.pt");
        gramian("data", "demo", "--out", folder.resolve("photos"), "--images", 8)
                .succeeded();
        train("run", AGREE).succeeded();
        Files.writeString(folder.resolve("space.yaml"), """
                name: small
                common:
                  stage1: {epochs: 0}
                  backbone: {precision: float}
                inputs:
                  last: {label: last layer, branches: [{tap: last, size: 64}]}
                  other: {label: another layer, branches: [{tap: layer3, size: 64}]}
                heads:
                  average: {label: Average, branches: [{convolution: 0, aggregator: average}]}
                  kernel: {label: Kernel, branches: [{convolution: 16, aggregator: spd}]}
                """);
    }

    private static CommandRun train(String run, Object... more) {
        List<Object> settings = List.of(
                "--set",
                "network.branches.0.size=64",
                "--set",
                "network.branches.0.convolution=16",
                "--set",
                "backbone.precision=float",
                "--set",
                "stage1.epochs=1");
        return onPhotos("train", run, settings, more);
    }

    private static CommandRun search(String run, Object... more) {
        return onPhotos("search", run, List.of("--space", folder.resolve("space.yaml"), "--trials", 2), more);
    }

    private static CommandRun onPhotos(String command, String run, List<Object> settings, Object... more) {
        List<Object> words = new ArrayList<>(List.of(
                command, "--images", folder.resolve("photos"), "--backbone", module, "--out", folder.resolve(run)));
        words.addAll(settings);
        words.addAll(List.of(more));
        return gramian(words.toArray());
    }

    private static Path model() {
        return folder.resolve("run/model.gramian");
    }

    @Test
    void nothing_runs_before_the_user_has_agreed() {
        train("refused").refused(2, "network.pt is a TorchScript file", "contains code", AGREE, "backbone.trustCode");
        assertThat(folder.resolve("refused")).doesNotExist();
        gramian("features", "--root", folder.resolve("photos"), "--backbone", module, "--out", folder.resolve("cache"))
                .refused(2, "contains code", AGREE);
        gramian("predict", model(), folder.resolve("photos"), "--backbone", module)
                .refused(2, "contains code", AGREE);
        search("unsearched").refused(2, "contains code", AGREE);
        assertThat(folder.resolve("unsearched")).doesNotExist();
    }

    @Test
    void training_reports_that_code_runs_and_the_recipe_stores_the_permission() throws IOException {
        CommandRun trained = train("trusted", AGREE).succeeded();
        assertThat(trained.err()).contains("is a TorchScript module, and its code runs with your privileges", "sha256");
        assertThat(Files.readString(folder.resolve("trusted/recipe.yaml"))).contains("trustCode: true");
    }

    @Test
    void the_model_identifies_its_scripted_module_by_content_and_predicts_with_it_under_any_name() throws IOException {
        gramian("predict", model(), folder.resolve("photos"))
                .refused(2, "does not hold its backbone network.pt", "--backbone network.pt " + AGREE);
        Path renamed = Files.copy(module, folder.resolve("renamed.pt"));
        CommandRun predicted = gramian(
                        "predict", model(), folder.resolve("photos"), "--backbone", renamed, AGREE, "--format", "jsonl")
                .succeeded();
        assertThat(predicted.out().lines()).hasSize(24).allMatch(line -> line.contains("\"probability\""));
        gramian("predict", model(), folder.resolve("photos"), "--backbone", model(), AGREE)
                .refused(2, "is not a TorchScript file");
    }

    @Test
    void a_search_takes_it_and_leaves_out_layers_that_it_does_not_have() throws IOException {
        CommandRun searched = search("searched", AGREE).succeeded();
        assertThat(searched.err())
                .contains("is a TorchScript module, and its code runs with your privileges", "other is left out: ")
                .doesNotContain("last is left out");
        assertThat(Files.readString(folder.resolve("searched/recipe.yaml"))).contains("trustCode: true");
        gramian("predict", folder.resolve("searched"), folder.resolve("photos"), "--backbone", module, AGREE)
                .succeeded();
    }

    @Test
    void it_is_not_fine_tuned() {
        CommandRun tuned = train("tuned", AGREE, "--fine-tune", "2.0");
        assertThat(tuned.exitCode()).isEqualTo(2);
        assertThat(tuned.err()).contains("not fine-tuned", "gramian weights import");
    }
}
