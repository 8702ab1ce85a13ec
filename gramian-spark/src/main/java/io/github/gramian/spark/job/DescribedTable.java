package io.github.gramian.spark.job;

import io.github.gramian.io.internal.Sha256;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A complete table of {@link DescribeJob}, as those see it who read descriptors from it.
 *
 * @param folder of the table
 * @param model SHA-256 of the model that described the images
 * @param source the images, in one line
 * @param encoding of descriptors
 * @param described number of rows with a descriptor
 * @param files of these rows, in the order of the job
 */
public record DescribedTable(
        String folder, String model, String source, DescriptorEncoding encoding, long described, List<DataFile> files) {

    private static final String LOOSE = "files ";

    public DescribedTable {
        files = List.copyOf(files);
    }

    /** A file of rows. */
    public record DataFile(String path, long bytes) {}

    /**
     * Reads what a job has written about its table.
     *
     * @throws JobException if it is not the table of a job, if it is incomplete, or if it has no descriptors
     */
    public static DescribedTable open(String folder, Configuration hadoop) throws IOException {
        JobFolder job = new JobFolder(folder, hadoop);
        WavePlan plan = job.plan()
                .orElseThrow(() -> new JobException(job.root() + " has no _plan.json; give a directory that"
                        + " gramian-spark describe has written"));
        List<WaveCommit> commits = job.commits();
        if (commits.size() < plan.waves()) {
            throw new JobException(job.root() + " is incomplete: " + commits.size() + " of " + plan.waves()
                    + " waves are described; start the same gramian-spark describe again, which continues");
        }
        DescriptorEncoding encoding = plan.encoding()
                .orElseThrow(() -> new JobException(job.root() + " has no descriptors; describe the images again in"
                        + " another directory, with --descriptors fp16"));
        List<DataFile> files = new ArrayList<>();
        long described = 0;
        for (WaveCommit commit : commits) {
            described += commit.described();
            addFiles(new Path(job.rows(commit.wave()), Columns.KIND + "=" + Columns.DESCRIBED), hadoop, files);
        }
        return new DescribedTable(job.root().toString(), plan.model(), plan.source(), encoding, described, files);
    }

    private static void addFiles(Path rows, Configuration hadoop, List<DataFile> found) throws IOException {
        FileSystem files = rows.getFileSystem(hadoop);
        if (!files.exists(rows)) {
            return; // every image of the wave is in quarantine
        }
        List<DataFile> inWave = new ArrayList<>();
        for (FileStatus file : files.listStatus(rows)) {
            if (file.isFile() && file.getPath().getName().endsWith(".parquet")) {
                inWave.add(new DataFile(file.getPath().toString(), file.getLen()));
            }
        }
        inWave.sort(Comparator.comparing(DataFile::path));
        found.addAll(inWave);
    }

    /** A checksum of the files' names and lengths: another one means that the images were described again. */
    public String identity() {
        StringBuilder lines = new StringBuilder(model).append('\n');
        files.forEach(file ->
                lines.append(file.path()).append(' ').append(file.bytes()).append('\n'));
        return Sha256.of(lines.toString()).substring(0, 16);
    }

    /** The local directory of the images if they are loose files. Empty if they lie in shards, whose names are not paths. */
    public String root() {
        if (!source.startsWith(LOOSE)) {
            return "";
        }
        Path images = new Path(source.substring(LOOSE.length()).replaceFirst(" by \\d+$", ""));
        return "file".equals(images.toUri().getScheme()) ? images.toUri().getPath() : "";
    }
}
