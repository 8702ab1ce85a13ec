package io.github.gramian.train.stage.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gramian.check.FullForm;
import io.github.gramian.distributed.Ranks;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The default recipe at its real size, in float, on real images: minutes. {@code mvn test -pl gramian-vision -am
 * -Dsurefire.failIfNoSpecifiedTests=false -Dtest=FullSizeDistributedTest -Dgramian.test.full=true
 * -Dgramian.backbone=resnet50.safetensors -Dgramian.cache=features}.
 */
class FullSizeDistributedTest {

    private static final Path BIRDS = Path.of(System.getProperty("gramian.data", "../../shared/data"), "cub20");

    @TempDir
    private Path folder;

    @Test
    void two_hundred_steps_by_two_processes_give_the_weights_of_one() throws Exception {
        Path backbone = Path.of(System.getProperty("gramian.backbone", "resnet50.safetensors"));
        assumeTrue(FullForm.isOn() && Files.exists(BIRDS) && Files.exists(backbone));
        Path cache = Path.of(
                System.getProperty("gramian.cache", folder.resolve("cache").toString()));
        Recipe recipe = RecipeFile.parse(
                "",
                List.of(
                        "data.images='" + BIRDS + "'",
                        "backbone.weights='" + backbone + "'",
                        "stage1.epochs=12",
                        "stage1.keep=last",
                        "refit=never"));
        TrainingOptions options = TrainingOptions.defaults(cache).withoutReportData();
        Path alone = folder.resolve("alone");
        Path shared = folder.resolve("shared");
        Training.of(recipe).with(options).into(alone);
        Ranks.run(2, distributed -> {
            if (distributed.leads()) {
                Training.of(recipe).with(options.among(distributed)).into(shared);
            } else {
                Training.of(recipe).with(options.among(distributed)).assist(shared);
            }
            return distributed;
        });
        assertThat(Checkpoint.position(new RunFolder(shared).last(1)).step()).isGreaterThanOrEqualTo(200);
        assertThat(DistributedStage.distance(new RunFolder(shared).model(), new RunFolder(alone).model()))
                .isLessThan(1e-5);
    }
}
