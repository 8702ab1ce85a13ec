package io.github.gramian.spark.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.spark.shard.ShardSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobFolderTest {

    @TempDir
    Path folder;

    private JobFolder open() throws IOException {
        return new JobFolder(folder.toString(), new Configuration());
    }

    private static JobFolder.WavePlan plan(int shards, int perWave) {
        return new JobFolder.WavePlan(
                "tar x",
                "sum",
                DescribeSettings.defaults(new ShardSource.TarShards("x"), "m", "o")
                        .rowIdentity(),
                perWave,
                IntStream.range(0, shards)
                        .mapToObj(i -> new ShardSource.Shard(i + ".tar", List.of(i + ".tar")))
                        .toList());
    }

    @Test
    void a_plan_is_read_as_it_was_written() throws IOException {
        assertThat(open().plan()).isEmpty();
        open().write(plan(5, 2));
        assertThat(open().plan()).contains(plan(5, 2));
    }

    @Test
    void waves_are_all_shards_and_none_twice() {
        JobFolder.WavePlan plan = plan(5, 2);
        assertThat(plan.waves()).isEqualTo(3);
        assertThat(IntStream.range(0, 3).boxed().flatMap(wave -> plan.wave(wave).stream()))
                .containsExactlyElementsOf(plan.shards());
        assertThat(plan.wave(2)).hasSize(1);
    }

    @Test
    void commits_count_up_to_the_first_that_is_missing() throws IOException {
        open().commit(new DescribeJob.WaveCommit(0, 10, 1, 5, 6));
        open().commit(new DescribeJob.WaveCommit(2, 10, 1, 5, 6));
        assertThat(open().commits()).extracting(DescribeJob.WaveCommit::wave).containsExactly(0);
        open().commit(new DescribeJob.WaveCommit(1, 7, 2, 8, 9));
        assertThat(open().commits())
                .contains(new DescribeJob.WaveCommit(1, 7, 2, 8, 9))
                .extracting(DescribeJob.WaveCommit::wave)
                .containsExactly(0, 1, 2);
    }

    @Test
    void a_commit_clears_what_its_tasks_noted() throws IOException {
        AttemptJournal journal = new AttemptJournal(open().attempts(0) + "/a", new Configuration());
        journal.alone(3);
        open().commit(new DescribeJob.WaveCommit(0, 1, 1, 1, 1));
        assertThat(folder.resolve("_attempts/00000")).doesNotExist();
    }

    @Test
    void a_second_driver_in_the_same_folder_is_refused() throws IOException {
        open().commit(new DescribeJob.WaveCommit(0, 10, 1, 5, 6));
        assertThatThrownBy(() -> open().commit(new DescribeJob.WaveCommit(0, 9, 1, 5, 6)))
                .isInstanceOf(JobException.class)
                .hasMessageContaining("two drivers");
        assertThat(open().commits().get(0).described()).isEqualTo(10);
    }

    @Test
    void a_damaged_record_is_reported_and_not_skipped() throws IOException {
        Files.createDirectories(folder.resolve("_commits"));
        Files.writeString(folder.resolve("_commits/00000.json"), "{\"wave\": 0, ");
        assertThatThrownBy(() -> open().commits())
                .isInstanceOf(JobException.class)
                .hasMessageContaining("damaged");
    }

    @Test
    void a_plan_refuses_other_images_models_and_rows() {
        DescribeSettings same = DescribeSettings.defaults(new ShardSource.TarShards("x"), "m", "o");
        assertThatCode(() -> plan(1, 1).checkSame(same, "sum")).doesNotThrowAnyException();
        assertThatThrownBy(() -> plan(1, 1).checkSame(same, "other")).hasMessageContaining("other model");
        assertThatThrownBy(() -> plan(1, 1)
                        .checkSame(DescribeSettings.defaults(new ShardSource.TarShards("y"), "m", "o"), "sum"))
                .hasMessageContaining("other images");
        DescribeSettings bytes = new DescribeSettings(
                new ShardSource.TarShards("x"), "m", "o", DescriptorEncoding.INT8, true, 32, 0, 1, 2, 0.5, null);
        assertThatThrownBy(() -> plan(1, 1).checkSame(bytes, "sum")).hasMessageContaining("other rows");
    }

    @Test
    void settings_check_themselves() {
        ShardSource.TarShards source = new ShardSource.TarShards("x");
        assertThatThrownBy(() -> new DescribeSettings(source, "m", "o", null, true, 0, 0, 1, 2, 0.5, null))
                .hasMessageContaining("batchSize must lie in 1..4096 but is 0");
        assertThatThrownBy(() -> new DescribeSettings(source, "m", "o", null, true, 1, 0, 1, 2, 1.5, null))
                .hasMessageContaining("maxRejected");
    }
}
