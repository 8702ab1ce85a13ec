package io.github.gramian.spark.job;

import io.github.gramian.io.internal.Sha256;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.api.ReadSupport;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

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
        JobFolder.WavePlan plan = job.plan()
                .orElseThrow(() -> new JobException(job.root() + " has no _plan.json; give a directory that"
                        + " gramian-spark describe has written"));
        List<DescribeJob.WaveCommit> commits = job.commits();
        if (commits.size() < plan.waves()) {
            throw new JobException(job.root() + " is incomplete: " + commits.size() + " of " + plan.waves()
                    + " waves are described; start the same gramian-spark describe again, which continues");
        }
        DescriptorEncoding encoding = plan.encoding()
                .orElseThrow(() -> new JobException(job.root() + " has no descriptors; describe the images again in"
                        + " another directory, with --descriptors fp16"));
        List<DataFile> files = new ArrayList<>();
        long described = 0;
        for (DescribeJob.WaveCommit commit : commits) {
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

    /** Names and descriptors of one file of a {@link DescribedTable}, row by row. */
    public static final class Rows implements AutoCloseable {

        private static final int SHARD = 0;
        private static final int POSITION = 1;
        private static final int NAME = 2;
        private static final int DESCRIPTOR = 3;
        private static final int SCALE = 4;

        private static final Map<String, PrimitiveTypeName> COLUMNS = Map.of(
                Columns.SHARD, PrimitiveTypeName.BINARY,
                Columns.POSITION, PrimitiveTypeName.INT32,
                Columns.NAME, PrimitiveTypeName.BINARY,
                Columns.DESCRIPTOR, PrimitiveTypeName.BINARY,
                Columns.SCALE, PrimitiveTypeName.FLOAT);

        private final String file;
        private final DescriptorEncoding encoding;
        private final int length;
        private final ParquetReader<Group> rows;

        /**
         * Opens a file.
         *
         * @param length dimensions that a descriptor must have; 0 for any
         */
        public Rows(String file, DescriptorEncoding encoding, int length, Configuration hadoop) throws IOException {
            this.file = file;
            this.encoding = encoding;
            this.length = length;
            Path path = new Path(file);
            Configuration projected = new Configuration(hadoop);
            projected.set(ReadSupport.PARQUET_READ_SCHEMA, columns(path, hadoop).toString());
            this.rows = ParquetReader.builder(new GroupReadSupport(), path)
                    .withConf(projected)
                    .build();
        }

        /**
         * A row.
         *
         * @param descriptor null if it cannot be used
         * @param problem why not; empty if it can
         */
        @SuppressWarnings("ArrayRecordComponent") // handed over, not stored
        public record Described(
                String shard, int position, String name, float @Nullable [] descriptor, String problem) {}

        /** The next row; null at the end. */
        public @Nullable Described next() throws IOException {
            Group row;
            try {
                row = rows.read();
            } catch (RuntimeException e) {
                throw new IOException(file + " cannot be read on: " + e.getMessage(), e);
            }
            if (row == null) {
                return null;
            }
            String shard = has(row, SHARD) ? row.getString(SHARD, 0) : "";
            int position = has(row, POSITION) ? row.getInteger(POSITION, 0) : -1;
            if (!has(row, NAME)) {
                return new Described(shard, position, "", null, "it has no name");
            }
            String name = row.getString(NAME, 0);
            if (!has(row, DESCRIPTOR)) {
                return new Described(shard, position, name, null, "it has no descriptor");
            }
            byte[] bytes = row.getBinary(DESCRIPTOR, 0).getBytes();
            if (bytes.length == 0 || bytes.length % encoding.bytes() != 0) {
                return new Described(
                        shard,
                        position,
                        name,
                        null,
                        "its descriptor has " + bytes.length + " bytes, which is not " + encoding.key());
            }
            if (length > 0 && bytes.length != (long) length * encoding.bytes()) {
                return new Described(
                        shard,
                        position,
                        name,
                        null,
                        "its descriptor has " + bytes.length / encoding.bytes() + " dimensions, not " + length);
            }
            float[] descriptor = encoding.decode(bytes, has(row, SCALE) ? row.getFloat(SCALE, 0) : 1);
            for (float value : descriptor) {
                if (!Float.isFinite(value)) {
                    return new Described(shard, position, name, null, "its descriptor has values that are not finite");
                }
            }
            return new Described(shard, position, name, descriptor, "");
        }

        private static boolean has(Group row, int column) {
            return row.getFieldRepetitionCount(column) > 0;
        }

        /** The five columns as the file itself declares them. */
        private static MessageType columns(Path file, Configuration hadoop) throws IOException {
            try (ParquetFileReader reader = ParquetFileReader.open(HadoopInputFile.fromPath(file, hadoop))) {
                MessageType schema = reader.getFileMetaData().getSchema();
                List<Type> types = new ArrayList<>();
                for (String name :
                        List.of(Columns.SHARD, Columns.POSITION, Columns.NAME, Columns.DESCRIPTOR, Columns.SCALE)) {
                    types.add(column(schema, name, file));
                }
                return new MessageType(schema.getName(), types);
            } catch (JobException e) {
                throw e;
            } catch (RuntimeException e) {
                throw new JobException(file + " is not a Parquet file that can be read (" + e.getMessage()
                        + "); restore it, or describe the images again");
            }
        }

        private static Type column(MessageType schema, String name, Path file) {
            if (schema.containsField(name)) {
                Type type = schema.getType(name);
                if (type.isPrimitive()
                        && !type.isRepetition(Type.Repetition.REPEATED)
                        && type.asPrimitiveType().getPrimitiveTypeName() == COLUMNS.get(name)) {
                    return type;
                }
            }
            throw new JobException(file + " has no column '" + name + "' of type " + COLUMNS.get(name)
                    + "; give a table that gramian-spark describe has written");
        }

        @Override
        public void close() throws IOException {
            rows.close();
        }
    }
}
