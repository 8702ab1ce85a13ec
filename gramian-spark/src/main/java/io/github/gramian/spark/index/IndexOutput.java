package io.github.gramian.spark.index;

import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Text;
import io.github.gramian.similar.index.internal.Manifest;
import io.github.gramian.spark.job.JobException;
import io.github.gramian.spark.job.RecordFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;

/**
 * The directory of an index with parts, on any file system that Hadoop knows: the parts, {@code reduction.safetensors}, {@code
 * parts.json}, rejected rows in {@code _quarantine}, and unfinished work in {@code _jobs}.
 */
final class IndexOutput {

    static final String REDUCTION = "reduction.safetensors";

    private static final String JOBS = "_jobs";
    private static final String QUARANTINE = "_quarantine";
    private static final String PART = "part-";
    private static final int MAX_LENGTH = 1 << 30;

    private final Path root;
    private final FileSystem files;
    private final Configuration hadoop;
    private final RecordFiles records;

    IndexOutput(String folder, Configuration hadoop) throws IOException {
        Path path = new Path(folder);
        FileSystem system = path.getFileSystem(hadoop);
        // Hadoop puts a hidden checksum next to each local file, which Lucene and our manifests have themselves.
        this.files = system instanceof LocalFileSystem local ? local.getRawFileSystem() : system;
        this.root = system.makeQualified(path);
        this.hadoop = hadoop;
        this.records = new RecordFiles(files);
    }

    Path root() {
        return root;
    }

    private boolean isLocal() {
        return "file".equals(root.toUri().getScheme());
    }

    /** A part as a local path; empty if it lies on another file system. */
    Optional<java.nio.file.Path> local(String part) {
        return isLocal() ? Optional.of(java.nio.file.Path.of(root.toUri().getPath(), part)) : Optional.empty();
    }

    /** The list of complete parts; empty if nothing is complete yet. */
    Optional<Manifest> manifest() throws IOException {
        Path file = new Path(root, Manifest.PARTS);
        Optional<byte[]> bytes = bytes(file);
        try {
            return bytes.map(Manifest::parseParts);
        } catch (IllegalArgumentException e) {
            throw new JobException(file + " " + e.getMessage());
        }
    }

    void replace(Manifest manifest) throws IOException {
        replace(Manifest.PARTS, manifest.text().getBytes(StandardCharsets.UTF_8));
    }

    /** The bytes of the reduction's file. */
    Optional<byte[]> reduction() throws IOException {
        return bytes(new Path(root, REDUCTION));
    }

    void replaceReduction(byte[] bytes) throws IOException {
        replace(REDUCTION, bytes);
    }

    private Optional<byte[]> bytes(Path file) throws IOException {
        if (!files.exists(file)) {
            return Optional.empty();
        }
        try (InputStream in = files.open(file)) {
            return Optional.of(in.readNBytes(MAX_LENGTH));
        }
    }

    private void replace(String name, byte[] content) throws IOException {
        files.mkdirs(root);
        if (isLocal()) {
            AtomicFile.writeBytes(java.nio.file.Path.of(root.toUri().getPath(), name), ByteBuffer.wrap(content));
            return;
        }
        Path temporary = new Path(root, "." + name + "." + UUID.randomUUID());
        try (OutputStream out = files.create(temporary, false)) {
            out.write(content);
        }
        FileContext.getFileContext(root.toUri(), hadoop)
                .rename(temporary, new Path(root, name), Options.Rename.OVERWRITE);
    }

    /** Refuses a directory with files that are not those of an index with parts. */
    void requireOwn() throws IOException {
        if (!files.exists(root)) {
            return;
        }
        for (FileStatus child : files.listStatus(root)) {
            String name = child.getPath().getName();
            if (!Set.of(Manifest.PARTS, REDUCTION, JOBS, QUARANTINE).contains(name)
                    && !name.startsWith(PART)
                    && !name.startsWith(".")) {
                throw new JobException(root + " holds " + name
                        + ", which is not part of an index; give a directory that" + " is empty or new");
            }
        }
    }

    Optional<IndexPlan> plan(String job) throws IOException {
        return records.read(new Path(folder(job), "_plan.json"), IndexPlan.class);
    }

    void write(String job, IndexPlan plan) throws IOException {
        if (!records.write(new Path(folder(job), "_plan.json"), plan)) {
            throw new JobException("two drivers index the same table in " + root + "; let one of them finish");
        }
    }

    Optional<PartRecord> record(String job, int number) throws IOException {
        return records.read(recordFile(job, number), PartRecord.class);
    }

    /** From now on the part exists, unless another attempt was first; returns the record that counts. */
    PartRecord commit(String job, PartRecord record) throws IOException {
        records.write(recordFile(job, record.number()), record);
        return record(job, record.number())
                .orElseThrow(() -> new IOException("the record of " + record.name() + " cannot be written"));
    }

    private Path folder(String job) {
        return new Path(root, JOBS + "/" + job);
    }

    private Path recordFile(String job, int number) {
        return new Path(folder(job), Text.format("%05d.json", number));
    }

    /** A name for the directory of a part that no other attempt has. */
    static String newName(String job, int number) {
        return Text.format(
                PART + "%s-%05d-%s", job, number, UUID.randomUUID().toString().substring(0, 8));
    }

    /** Copies files of a local directory. */
    void upload(java.nio.file.Path from, List<String> names, String part) throws IOException {
        for (String name : names) {
            files.copyFromLocalFile(
                    false, true, new Path(from.resolve(name).toUri()), new Path(new Path(root, part), name));
        }
    }

    /** Copies a part to a local directory. */
    void download(String part, java.nio.file.Path to) throws IOException {
        files.copyToLocalFile(false, new Path(root, part), new Path(to.toUri()), true);
    }

    /** Stores the rows that a part could not use. */
    void quarantine(String part, String lines) throws IOException {
        try (OutputStream out = files.create(new Path(root, QUARANTINE + "/" + part + ".jsonl"), true)) {
            out.write(lines.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Removes what an attempt has written. */
    void delete(String part) throws IOException {
        files.delete(new Path(root, part), true);
        files.delete(new Path(root, QUARANTINE + "/" + part + ".jsonl"), false);
    }

    /** Removes what attempts of a complete job have left, and its records. */
    void sweep(String job, Set<String> committed) throws IOException {
        for (FileStatus child : files.listStatus(root)) {
            String name = child.getPath().getName();
            if (name.startsWith(PART + job + "-") && !committed.contains(name)) {
                delete(name);
            }
        }
        files.delete(folder(job), true);
        Path jobs = new Path(root, JOBS);
        if (files.exists(jobs) && files.listStatus(jobs).length == 0) {
            files.delete(jobs, true);
        }
    }

    /**
     * The record of a complete part. A part exists once its record is there.
     *
     * @param number of the part in the plan
     * @param name of its directory
     * @param photographs number of photographs. If no row could be used, it is 0 and there is no directory
     * @param quarantined number of rows that could not be used
     * @param bytes of its files
     * @param checksum of its files
     */
    record PartRecord(int number, String name, long photographs, long quarantined, long bytes, String checksum)
            implements Serializable {

        Manifest.Part listed(String table, String identity) {
            return new Manifest.Part(name, table, identity, photographs, quarantined, bytes, checksum);
        }
    }
}
