package io.github.gramian.spark.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AttemptJournalTest {

    @TempDir
    Path folder;

    private AttemptJournal attempt() throws IOException {
        return new AttemptJournal(folder.resolve("shard").toString(), new Configuration());
    }

    @Test
    void a_first_attempt_has_no_suspects() throws IOException {
        AttemptJournal first = attempt();
        assertThat(first.isSuspect(0)).isFalse();
        assertThat(first.endOfBatch(64, 32)).isEqualTo(96);
    }

    @Test
    void what_ended_well_leaves_no_trace() throws IOException {
        AttemptJournal first = attempt();
        first.batch(0, 32).close();
        first.alone(40).close();
        AttemptJournal second = attempt();
        assertThat(second.isSuspect(0)).isFalse();
        assertThat(second.deaths(40)).isZero();
    }

    @Test
    void a_batch_in_work_at_a_crash_is_suspect_and_batches_end_before_it() throws IOException {
        attempt().batch(32, 64);
        AttemptJournal second = attempt();
        assertThat(second.isSuspect(31)).isFalse();
        assertThat(second.isSuspect(32)).isTrue();
        assertThat(second.isSuspect(63)).isTrue();
        assertThat(second.isSuspect(64)).isFalse();
        assertThat(second.endOfBatch(0, 32)).isEqualTo(32);
        assertThat(second.endOfBatch(10, 32)).isEqualTo(32);
        assertThat(second.endOfBatch(64, 32)).isEqualTo(96);
        assertThat(second.deaths(40)).as("nobody knows which of them it was").isZero();
    }

    @Test
    void crashes_of_single_images_are_counted_over_all_attempts() throws IOException {
        attempt().batch(0, 32);
        attempt().alone(7);
        attempt().alone(7);
        attempt().alone(9);
        AttemptJournal last = attempt();
        assertThat(last.deaths(7)).isEqualTo(2);
        assertThat(last.deaths(9)).isEqualTo(1);
        assertThat(last.deaths(8)).isZero();
    }

    @Test
    void other_files_in_the_directory_are_not_read_as_notes() throws IOException {
        attempt().alone(7);
        Files.writeString(folder.resolve("shard/readme.txt"), "hello");
        Files.writeString(folder.resolve("shard/x.alone.99999999999999-1"), "");
        assertThat(attempt().deaths(7)).isEqualTo(1);
    }
}
