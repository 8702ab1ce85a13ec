package io.github.gramian.spark.index;

import io.github.gramian.io.internal.TemporaryFolder;
import io.github.gramian.json.internal.Json;
import io.github.gramian.similar.index.internal.Manifest;
import io.github.gramian.similar.index.internal.PartBuild;
import io.github.gramian.similar.index.internal.PartFiles;
import io.github.gramian.similar.index.internal.Photo;
import io.github.gramian.spark.job.DescribedRows;
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
final class PartTask implements Function<PartTask.Work, PartRecord> {

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

    /**
     * What all parts share.
     *
     * @param model path of the model
     * @param checksum of the reduction
     */
    record Settings(
            String output,
            String job,
            DescriptorEncoding encoding,
            String model,
            String modelSha256,
            String checksum,
            int dimensions,
            String root)
            implements Serializable {

        Manifest manifest() {
            return new Manifest(model, modelSha256, checksum, dimensions);
        }
    }

    /** The files of one part. */
    record Work(int number, List<String> files) implements Serializable {}

    @Override
    public PartRecord call(Work work) throws IOException {
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
            PartFiles built = photographs == 0 ? new PartFiles(List.of(), 0, "") : PartFiles.of(local);
            output.upload(local, built.names(), name);
            if (rejected.count > 0) {
                output.quarantine(name, rejected.lines.toString());
            }
            PartRecord own =
                    new PartRecord(work.number(), name, photographs, rejected.count, built.bytes(), built.checksum());
            PartRecord counts = output.commit(settings.job(), own);
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
                try (DescribedRows rows = new DescribedRows(file, settings.encoding(), length, files)) {
                    for (DescribedRows.Described row = rows.next(); row != null; row = rows.next()) {
                        add(row, build, rejected);
                    }
                }
            }
            return build.finish();
        }
    }

    private static void add(DescribedRows.Described row, PartBuild build, Rejected rejected) throws IOException {
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

        void add(DescribedRows.Described row, @Nullable String reason) {
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
