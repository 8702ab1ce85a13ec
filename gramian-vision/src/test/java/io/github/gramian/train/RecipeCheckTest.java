package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.fixture.SmallRuns;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings that end a training are refused before features are computed, and leave no run directory. */
class RecipeCheckTest {

    @TempDir
    static Path folder;

    @TempDir
    private Path own;

    private static SmallRuns runs = SmallRuns.existing(Path.of(""));

    @BeforeAll
    static void draw() throws IOException {
        runs = SmallRuns.in(folder);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "stage2.trainFrom=res9z | has no layer 'res9z'",
                "network.branches.0.tap=res3b | 'res5a' comes after res3b",
                "network.branches.0.aggregator.transforms.0.outputDim=600 | outputDim must lie in 1..",
                "network.branches.0.aggregator.transforms.0.activation={kind: reeig, epsilon: -1} | ",
                "network.branches.0.aggregator={kind: vlad, centres: 60000, intraNormalisation: true} | a codebook of 60000",
                "network.branches.0.aggregator={kind: custom, name: nobody, settings: {}} | nobody",
                "network.branches.0.descriptor.powerEpsilon=NaN | ",
                "views={margin: 0, training: five, test: whole} | does not fit",
                "stage2.batch=99999 | a batch of 99999 images",
                "views.test=random:1000+random:1000+random:1000+random:1000+random:1000+random:1000+random:1000+random:1000+random:1000+random:1000 | views of",
                "stage1.momentum=1.5 | momentum must lie in",
                "stage2.weightDecay=-1 | weightDecay must lie in",
                "stage2.labelSmoothing=1 | labelSmoothing must lie in",
                "stage2.rates.backbone=-1 | rates must be 0 or more",
                "stage2.rates.backboneClip=0 | clips of rates must be positive",
                "stage2.rates.layerDecay=0 | layerDecay must lie in (0, 1]",
                "stage2.ema=1 | ema must be 0 for none or lie below 1",
                "views.augment=erase:2 | a probability lies in 0..1",
                "final=some | 'final' is 'some'",
            })
    void a_setting_that_would_fail_later_is_refused_first(String setting, String reason) {
        Path cache = own.resolve("features");
        Path run = own.resolve("run");
        assertThatThrownBy(() -> Training.of(
                                runs.recipe("stage2.epochs=1", "stage2.batch=16", "stage2.trainFrom=res5a", setting))
                        .with(TrainingOptions.defaults(cache))
                        .into(run))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason == null ? "" : reason);
        assertThat(cache).doesNotExist();
        assertThat(run).doesNotExist();
    }
}
