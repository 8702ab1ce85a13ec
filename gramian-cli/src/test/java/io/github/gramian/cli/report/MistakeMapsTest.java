package io.github.gramian.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.cli.SmallRun;
import io.github.gramian.run.internal.PredictionsFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The maps below the mistakes of a report. */
class MistakeMapsTest {

    private static final float[] PROBABILITIES = {0.1f, 0.9f};

    private static Mistakes of(List<String> ids) {
        return new Mistakes(
                ids.stream()
                        .map(id -> new PredictionsFile.Line(id, 0, 1, 0.9, PROBABILITIES, null))
                        .toList(),
                ids.size(),
                100);
    }

    private static List<String> images(Path photos) throws IOException {
        try (Stream<Path> all = Files.walk(photos)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> photos.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void the_first_mistakes_have_a_small_map_for_each_of_the_two_classes() throws IOException {
        SmallRun small = SmallRun.trained();
        List<String> ids = images(small.photos());
        MistakeMaps maps = MistakeMaps.read(small.run(), small.photos().toString(), of(ids));
        assertThat(maps.pairs()).hasSize(8).containsOnlyKeys(ids.subList(0, 8));
        assertThat(maps.pairs().values()).allSatisfy(pair -> {
            assertThat(pair.predicted()).startsWith("data:image/jpeg;base64,").hasSizeLessThan(12_000);
            assertThat(pair.truth()).startsWith("data:image/jpeg;base64,").isNotEqualTo(pair.predicted());
        });
    }

    @Test
    void a_report_does_without_maps_if_model_images_or_classes_are_missing(@TempDir Path empty) throws IOException {
        SmallRun small = SmallRun.trained();
        List<String> ids = images(small.photos());
        String root = small.photos().toString();
        assertThat(MistakeMaps.read(empty, root, of(ids)).pairs()).isEmpty();
        assertThat(MistakeMaps.read(small.run(), root, of(List.of("../outside.png", "gone.png")))
                        .pairs())
                .isEmpty();
        Files.writeString(empty.resolve("model.gramian"), "damaged");
        assertThat(MistakeMaps.read(empty, root, of(ids)).pairs()).isEmpty();
        Mistakes unknown =
                new Mistakes(List.of(new PredictionsFile.Line(ids.get(0), 0, 77, 0.9, PROBABILITIES, null)), 1, 1);
        assertThat(MistakeMaps.read(small.run(), root, unknown).pairs()).isEmpty();
    }
}
