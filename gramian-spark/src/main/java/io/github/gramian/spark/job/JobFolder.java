package io.github.gramian.spark.job;

import io.github.gramian.io.internal.Text;
import io.github.gramian.spark.shard.ShardSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The folder of a job on any file system that Hadoop knows: the table's rows in {@code wave=00000} and on, the plan in
 * {@code _plan.json}, a record for each wave that is complete in {@code _commits}, and what tasks are processing in {@code
 * _attempts}. Records are written atomically: under another name, then renamed.
 */
final class JobFolder {

    private final Path root;
    private final FileSystem files;
    private final RecordFiles records;

    JobFolder(String folder, Configuration hadoop) throws IOException {
        Path path = new Path(folder);
        this.files = path.getFileSystem(hadoop);
        this.root = files.makeQualified(path);
        this.records = new RecordFiles(files);
    }

    Optional<WavePlan> plan() throws IOException {
        return read(new Path(root, "_plan.json"), WavePlan.class);
    }

    void write(WavePlan plan) throws IOException {
        write(new Path(root, "_plan.json"), plan);
    }

    /** The records of waves 0, 1, … up to the first that is missing. */
    List<DescribeJob.WaveCommit> commits() throws IOException {
        List<DescribeJob.WaveCommit> commits = new ArrayList<>();
        Optional<DescribeJob.WaveCommit> next = read(commitFile(0), DescribeJob.WaveCommit.class);
        while (next.isPresent()) {
            commits.add(next.get());
            next = read(commitFile(commits.size()), DescribeJob.WaveCommit.class);
        }
        return commits;
    }

    /** From now on the wave counts as complete; what its tasks noted is not needed any more. */
    void commit(DescribeJob.WaveCommit commit) throws IOException {
        write(commitFile(commit.wave()), commit);
        files.delete(new Path(attempts(commit.wave())), true);
    }

    /** Where a wave's rows go. */
    String rows(int wave) {
        return new Path(root, Text.format("wave=%05d", wave)).toString();
    }

    /** Where a wave's tasks note what they are processing. */
    String attempts(int wave) {
        return new Path(root, Text.format("_attempts/%05d", wave)).toString();
    }

    /** Whether the folder holds files that are not those of a job. */
    boolean isTaken() throws IOException {
        if (!files.exists(root)) {
            return false;
        }
        for (FileStatus child : files.listStatus(root)) {
            if (!child.getPath().getName().startsWith("_")) {
                return true;
            }
        }
        return false;
    }

    Path root() {
        return root;
    }

    private Path commitFile(int wave) {
        return new Path(root, Text.format("_commits/%05d.json", wave));
    }

    private <T> Optional<T> read(Path file, Class<T> type) throws IOException {
        return records.read(file, type);
    }

    private void write(Path file, Object content) throws IOException {
        if (!records.write(file, content)) {
            throw new JobException(
                    file + " was written meanwhile: two drivers work in " + root + "; let one of them finish");
        }
    }

    /**
     * The plan of a job, fixed when it starts: a restart continues with the same shards in the same waves, and refuses settings
     * under which rows would look different.
     *
     * @param source the images, in one line
     * @param model hash of the model's file
     * @param rows how rows look, in one line
     * @param shardsPerWave shards between two commits
     * @param shards all of them, in order
     */
    record WavePlan(String source, String model, String rows, int shardsPerWave, List<ShardSource.Shard> shards) {

        /** How the line about rows begins; the key of the encoding follows. */
        static final String DESCRIPTORS = "descriptors ";

        WavePlan {
            if (shardsPerWave < 1) {
                throw new IllegalArgumentException("shardsPerWave must be at least 1 but is " + shardsPerWave);
            }
            shards = List.copyOf(shards);
        }

        int waves() {
            return (shards.size() + shardsPerWave - 1) / shardsPerWave;
        }

        List<ShardSource.Shard> wave(int wave) {
            return shards.subList(wave * shardsPerWave, Math.min(shards.size(), (wave + 1) * shardsPerWave));
        }

        /** The encoding of descriptors; empty if there are none. */
        Optional<DescriptorEncoding> encoding() {
            if (!rows.startsWith(DESCRIPTORS)) {
                return Optional.empty();
            }
            String key = rows.substring(DESCRIPTORS.length()).split(",", 2)[0];
            return key.equals("none") ? Optional.empty() : Optional.of(DescriptorEncoding.named(key));
        }

        /** Passes if what is asked for now is what the plan was made for. */
        void checkSame(DescribeSettings settings, String modelSum) {
            check("images", source, settings.source().identity(), settings);
            check("model", model, modelSum, settings);
            check("rows", rows, settings.rowIdentity(), settings);
        }

        private static void check(String what, String planned, String asked, DescribeSettings settings) {
            if (!planned.equals(asked)) {
                throw new JobException(settings.output() + " was started with other " + what + " (" + planned + ", not "
                        + asked + "); give what it was started with, or another output directory");
            }
        }
    }
}
