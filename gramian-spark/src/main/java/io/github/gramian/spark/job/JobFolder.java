package io.github.gramian.spark.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
    List<WaveCommit> commits() throws IOException {
        List<WaveCommit> commits = new ArrayList<>();
        Optional<WaveCommit> next = read(commitFile(0), WaveCommit.class);
        while (next.isPresent()) {
            commits.add(next.get());
            next = read(commitFile(commits.size()), WaveCommit.class);
        }
        return commits;
    }

    /** From now on the wave counts as complete; what its tasks noted is not needed any more. */
    void commit(WaveCommit commit) throws IOException {
        write(commitFile(commit.wave()), commit);
        files.delete(new Path(attempts(commit.wave())), true);
    }

    /** Where a wave's rows go. */
    String rows(int wave) {
        return new Path(root, String.format(Locale.ROOT, "wave=%05d", wave)).toString();
    }

    /** Where a wave's tasks note what they are processing. */
    String attempts(int wave) {
        return new Path(root, String.format(Locale.ROOT, "_attempts/%05d", wave)).toString();
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
        return new Path(root, String.format(Locale.ROOT, "_commits/%05d.json", wave));
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
}
