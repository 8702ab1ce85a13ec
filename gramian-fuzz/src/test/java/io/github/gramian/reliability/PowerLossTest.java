package io.github.gramian.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.FullForm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Power fails anywhere in a command: the same command ends in the same result, and what was reported as done is there. */
@Tag("long")
class PowerLossTest {

    private static final List<String> COMMANDS =
            List.of("features", "train", "resume", "evaluate", "describe", "experiment");

    @TempDir
    Path folder;

    @Test
    void every_image_of_a_disk_ends_in_the_result_of_an_unbroken_run() throws IOException, InterruptedException {
        int images = FullForm.rounds(120, 4);
        int points = OnItsOwnDisk.points(PowerLossMain.class, folder, images, COMMANDS);
        assertThat(points).isEqualTo(images * COMMANDS.size());
    }
}
