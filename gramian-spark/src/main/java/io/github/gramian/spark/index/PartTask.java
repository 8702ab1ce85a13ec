package io.github.gramian.spark.index;

import io.github.gramian.io.internal.TemporaryFolder;
import io.github.gramian.json.internal.Json;
import io.github.gramian.similar.index.internal.Manifest;
import io.github.gramian.similar.index.internal.PartBuild;
import io.github.gramian.similar.index.internal.PartsManifest;
import io.github.gramian.similar.index.internal.Photo;
import io.github.gramian.spark.job.DescribedTable;
import io.github.gramian.spark.job.DescriptorEncoding;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.util.SerializableConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * Builds one part: reads its files, builds the index in a local directory, copies it under a name of this attempt, and writes
 * the record. If the executor dies at any moment, the next attempt builds the part again; what the dead one has copied is not
 * recorded, and the driver removes it.
 */
final class PartTask implements Function<PartTask.Work, IndexOutput.PartRecord> {

    private static final long serialVersionUID = 1L;

    /** Rows in a quarantine file; the count has no limit. */
    private static final int MAX_LISTED = 10_000;

    /** Lucene stores no longer terms. */
    private static final int MAX_NAME_BYTES = 32_000;

    private final Settings settings;
    private final Broadcast<byte[]> reduction;
    private final Broadcast<SerializableConfiguration> hadoop;

    PartTask(Settings settings, Broadcast<byte[]> reduction, Broadcast<SerializableConfiguration> hadoop) {
        this.settings = settings;
        this.reduction = reduction;
        this.hadoop = hadoop;
    }

    /** What all parts share: the folder of the index, the job in it, the table's encoding and root, and the manifest. */
    record Settings(String output, String job, DescriptorEncoding encoding, String root, Manifest manifest)
            implements Serializable {}

    /** The files of one part. */
    record Work(int number, List<String> files) implements Serializable {}

    @Override
    public IndexOutput.PartRecord call(Work work) throws IOException {
        Configuration files = hadoop.value().value();
        IndexOutput output = new IndexOutput(settings.output(), files);
        var done = output.record(settings.job(), work.number());
        if (done.isPresent()) {
            return done.get(); // by an attempt whose result was lost
        }
        String name = IndexOutput.newName(settings.job(), work.number());
        try (TemporaryFolder folder = TemporaryFolder.create()) {
            Path local = folder.path().resolve("part");
            Rejected rejected = new Rejected();
            long photographs = build(work, local, rejected, files);
            PartsManifest.PartFiles built = photographs == 0
                    ? new PartsManifest.PartFiles(List.of(), 0, "")
                    : PartsManifest.PartFiles.of(local);
            output.upload(local, built.names(), name);
            if (rejected.count > 0) {
                output.quarantine(name, rejected.lines.toString());
            }
            IndexOutput.PartRecord own = new IndexOutput.PartRecord(
                    work.number(), name, photographs, rejected.count, built.bytes(), built.checksum());
            IndexOutput.PartRecord counts = output.commit(settings.job(), own);
            if (!counts.equals(own)) {
                output.delete(name); // another attempt was first
            }
            return counts;
        }
    }

    private long build(Work work, Path local, Rejected rejected, Configuration files) throws IOException {
        try (PartBuild build = PartBuild.in(local, settings.manifest(), reduction.value(), settings.root())) {
            for (String file : work.files()) {
                int length = build.reduction().length();
                try (DescribedTable.Rows rows = new DescribedTable.Rows(file, settings.encoding(), length, files)) {
                    for (DescribedTable.Rows.Described row = rows.next(); row != null; row = rows.next()) {
                        add(row, build, rejected);
                    }
                }
            }
            return build.finish();
        }
    }

    private static void add(DescribedTable.Rows.Described row, PartBuild build, Rejected rejected) throws IOException {
        float[] descriptor = row.descriptor();
        if (descriptor == null) {
            rejected.add(row, row.problem());
        } else if (row.name().getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
            rejected.add(row, "its name is longer than " + MAX_NAME_BYTES + " bytes");
        } else {
            // A table has no hashes, sizes and times of files.
            build.add(new Photo(row.name(), "", 0, 0), descriptor);
        }
    }

    /** Rows that cannot be used. */
    private static final class Rejected {

        private final StringBuilder lines = new StringBuilder();
        private long count;

        void add(DescribedTable.Rows.Described row, @Nullable String reason) {
            if (count++ < MAX_LISTED) {
                String name = row.name();
                lines.append(Json.text(Json.members(
                                Map.entry("shard", row.shard()),
                                Map.entry("position", row.position()),
                                Map.entry("name", name.substring(0, Math.min(1000, name.length()))),
                                Map.entry("reason", String.valueOf(reason)))))
                        .append('\n');
            }
        }
    }
}
