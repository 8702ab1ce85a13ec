package io.github.gramian.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.FullForm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every call that changes a file fails once, in every way in which disks fail. The command ends with one sentence that names the
 * file, files are the old or the new ones, nothing half-written remains, and the same command ends in the same result afterwards.
 */
@Tag("long")
class IoFaultsTest {

    private static final List<String> COMMANDS = List.of(
            "features", "train", "resume", "evaluate", "predict", "describe", "experiment", "export", "export-data");

    @TempDir
    Path folder;

    @Test
    void every_io_error_ends_in_one_sentence_and_loses_nothing() throws IOException, InterruptedException {
        int every = FullForm.rounds(1, 97);
        int points = OnItsOwnDisk.points(IoFaultsMain.class, folder, every, COMMANDS);
        assertThat(points).isGreaterThan(FullForm.rounds(1000, 15));
    }
}
