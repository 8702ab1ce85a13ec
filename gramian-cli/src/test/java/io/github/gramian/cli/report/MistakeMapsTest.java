package io.github.gramian.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.cli.DemoRun;
import io.github.gramian.run.internal.PredictionsFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The maps below the mistakes of a report. */
class MistakeMapsTest {

    private static final float[] PROBABILITIES = {0.1f, 0.9f};

    private static RunFiles.Mistakes of(List<String> ids) {
        return new RunFiles.Mistakes(
                ids.stream()
                        .map(id -> new PredictionsFile.Line(id, 0, 1, 0.9, PROBABILITIES, null))
                        .toList(),
                ids.size(),
                100);
    }

    private static Map<String, List<String>> read(Path run, Path photos, RunFiles.Mistakes mistakes) {
        return new RunFiles(run).maps(new Thumbnails(photos.toString()), mistakes);
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
        DemoRun small = DemoRun.trained();
        List<String> ids = images(small.photos());
        Map<String, List<String>> maps = read(small.run(), small.photos(), of(ids));
        assertThat(maps).hasSize(8).containsOnlyKeys(ids.subList(0, 8));
        assertThat(maps.values())
                .allSatisfy(pair -> assertThat(pair)
                        .hasSize(2)
                        .doesNotHaveDuplicates()
                        .allSatisfy(map -> assertThat(map)
                                .startsWith("data:image/jpeg;base64,")
                                .hasSizeLessThan(12_000)));
    }

    @Test
    void a_report_does_without_maps_if_model_images_or_classes_are_missing(@TempDir Path empty) throws IOException {
        DemoRun small = DemoRun.trained();
        List<String> ids = images(small.photos());
        Path root = small.photos();
        assertThat(read(empty, root, of(ids))).isEmpty();
        assertThat(read(small.run(), root, of(List.of("../outside.png", "gone.png"))))
                .isEmpty();
        Files.writeString(empty.resolve("model.gramian"), "damaged");
        assertThat(read(empty, root, of(ids))).isEmpty();
        RunFiles.Mistakes unknown = new RunFiles.Mistakes(
                List.of(new PredictionsFile.Line(ids.get(0), 0, 77, 0.9, PROBABILITIES, null)), 1, 1);
        assertThat(read(small.run(), root, unknown)).isEmpty();
    }
}
