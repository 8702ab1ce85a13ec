package io.github.gramian.spark.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
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

/** Names and descriptors of one file of a {@link DescribedTable}, row by row. */
public final class DescribedRows implements AutoCloseable {

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
    public DescribedRows(String file, DescriptorEncoding encoding, int length, Configuration hadoop)
            throws IOException {
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
    public record Described(String shard, int position, String name, float @Nullable [] descriptor, String problem) {}

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
