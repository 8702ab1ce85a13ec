package io.github.gramian.spark.shard;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.api.ReadSupport;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/**
 * Parquet files with the bytes of an image in every row; every file is a shard. A task holds one row group, so files for
 * this should be written with small ones ({@code parquet.block.size}), not with the default 128 MB.
 *
 * @param folder that holds the files
 * @param nameColumn column with the name of the image
 * @param contentColumn bytes of the image's file
 */
public record ParquetImages(String folder, String nameColumn, String contentColumn) implements ShardSource {

    @Override
    public String identity() {
        return "parquet " + folder + " " + nameColumn + " " + contentColumn;
    }

    @Override
    public ShardSource qualified(Configuration hadoop) throws IOException {
        return new ParquetImages(Listing.qualified(folder, hadoop), nameColumn, contentColumn);
    }

    @Override
    public List<Shard> list(Configuration hadoop) throws IOException {
        return Listing.below(folder, hadoop, name -> name.endsWith(".parquet")).stream()
                .map(name -> new Shard(name, List.of(name)))
                .toList();
    }

    @Override
    public EntryStream open(Shard shard, Configuration hadoop, long maxBytes) throws IOException {
        Path file = Listing.file(folder, shard.files().get(0));
        Configuration projected = new Configuration(hadoop);
        projected.set(ReadSupport.PARQUET_READ_SCHEMA, columns(file, hadoop).toString());
        ParquetReader<Group> rows = ParquetReader.builder(new GroupReadSupport(), file)
                .withConf(projected)
                .build();
        return new EntryStream() {
            @Override
            public @Nullable ImageEntry next() throws IOException {
                try {
                    Group row = rows.read();
                    return row == null ? null : entry(row, maxBytes);
                } catch (RuntimeException e) {
                    throw new ShardException(file + " cannot be read on: " + e.getMessage());
                }
            }

            @Override
            public void close() throws IOException {
                rows.close();
            }
        };
    }

    private ImageEntry entry(Group row, long maxBytes) {
        String name = row.getFieldRepetitionCount(0) == 0 ? "" : row.getString(0, 0);
        if (row.getFieldRepetitionCount(1) == 0) {
            return ImageEntry.refused(name, "the row has no bytes");
        }
        Binary content = row.getBinary(1, 0);
        return content.length() > maxBytes
                ? ImageEntry.tooLong(name, content.length(), maxBytes)
                : ImageEntry.of(name, content.getBytes());
    }

    /** The two columns as the file itself declares them. */
    private MessageType columns(Path file, Configuration hadoop) throws IOException {
        try (ParquetFileReader reader = ParquetFileReader.open(HadoopInputFile.fromPath(file, hadoop))) {
            MessageType schema = reader.getFileMetaData().getSchema();
            return new MessageType(
                    schema.getName(), column(schema, nameColumn, file), column(schema, contentColumn, file));
        } catch (RuntimeException e) {
            throw new ShardException(file + " is not a Parquet file that can be read: " + e.getMessage());
        }
    }

    private static Type column(MessageType schema, String name, Path file) throws ShardException {
        if (!schema.containsField(name)) {
            throw new ShardException(file + " has no column '" + name + "' but "
                    + schema.getFields().stream().map(Type::getName).toList());
        }
        Type type = schema.getType(name);
        if (!type.isPrimitive()
                || type.isRepetition(Type.Repetition.REPEATED)
                || type.asPrimitiveType().getPrimitiveTypeName() != PrimitiveTypeName.BINARY) {
            throw new ShardException(file + ": the column '" + name + "' is " + type + ", not string or bytes");
        }
        return type;
    }
}
