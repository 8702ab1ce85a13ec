package io.github.gramian.spark.shard;

import io.github.gramian.io.internal.TarReader;
import io.github.gramian.io.internal.TarReader.TarException;
import io.github.gramian.io.internal.Text;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.security.AccessControlException;
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

/** A folder of images on any file system that Hadoop knows, cut into shards. Equal folders are cut equally. */
public sealed interface ShardSource extends Serializable {

    /** Everything that decides what the shards hold, in one line. */
    String identity();

    /** The same with the whole address of its folder: what is relative means another folder in every executor. */
    ShardSource qualified(Configuration hadoop) throws IOException;

    /** Lists the shards, in the order of their names. */
    List<Shard> list(Configuration hadoop) throws IOException;

    /** Opens one of them; images of more bytes than the limit come refused. */
    EntryStream open(Shard shard, Configuration hadoop, long maxBytes) throws IOException;

    /**
     * The input of one task.
     *
     * @param name unique among the shards of a source
     * @param files of which it consists, relative to the source's folder
     */
    record Shard(String name, List<String> files) implements Serializable {

        public Shard {
            if (name.isEmpty() || files.isEmpty()) {
                throw new IllegalArgumentException("a shard needs a name and at least one file");
            }
            files = List.copyOf(files);
        }
    }

    /** The images of a shard, one after the other, always in the same order. */
    interface EntryStream extends Closeable {

        /** The next image; null after the last. */
        @Nullable
        ImageEntry next() throws IOException;
    }

    /** Every {@code .tar} file below a folder is a shard. */
    record TarShards(String folder) implements ShardSource {

        private static final int BUFFER = 1 << 16;

        @Override
        public String identity() {
            return "tar " + folder;
        }

        @Override
        public ShardSource qualified(Configuration hadoop) throws IOException {
            return new TarShards(Listing.qualified(folder, hadoop));
        }

        @Override
        public List<Shard> list(Configuration hadoop) throws IOException {
            return Listing.shards(folder, hadoop, ".tar");
        }

        @Override
        public EntryStream open(Shard shard, Configuration hadoop, long maxBytes) throws IOException {
            Path file = Listing.file(folder, shard.files().get(0));
            return new TarImages(file.getFileSystem(hadoop).open(file, BUFFER), maxBytes);
        }
    }

    /**
     * Parquet files with the bytes of an image in every row; every file is a shard. A task holds one row group, so files for
     * this should be written with small ones ({@code parquet.block.size}), not with the default 128 MB.
     *
     * @param folder that holds the files
     * @param nameColumn column with the name of the image
     * @param contentColumn bytes of the image's file
     */
    record ParquetImages(String folder, String nameColumn, String contentColumn) implements ShardSource {

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
            return Listing.shards(folder, hadoop, ".parquet");
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

    /**
     * Image files below a folder, some hundred of them a shard. For up to some hundred thousand files; more of them are packed
     * first ({@link Packer}), since opening a file costs as much as reading a long one.
     *
     * @param folder that holds them
     * @param filesPerShard how many one task reads
     */
    record LooseFiles(String folder, int filesPerShard) implements ShardSource {

        public LooseFiles {
            if (filesPerShard < 1) {
                throw new IllegalArgumentException("filesPerShard must be at least 1 but is " + filesPerShard);
            }
        }

        @Override
        public String identity() {
            return "files " + folder + " by " + filesPerShard;
        }

        @Override
        public ShardSource qualified(Configuration hadoop) throws IOException {
            return new LooseFiles(Listing.qualified(folder, hadoop), filesPerShard);
        }

        @Override
        public List<Shard> list(Configuration hadoop) throws IOException {
            List<String> names = Listing.below(folder, hadoop, ImageEntry::isImage);
            List<Shard> shards = new ArrayList<>();
            for (int from = 0; from < names.size(); from += filesPerShard) {
                shards.add(new Shard(
                        Text.format("files-%06d", shards.size()),
                        names.subList(from, Math.min(names.size(), from + filesPerShard))));
            }
            return shards;
        }

        @Override
        public EntryStream open(Shard shard, Configuration hadoop, long maxBytes) throws IOException {
            FileSystem system = new Path(folder).getFileSystem(hadoop);
            Iterator<String> names = shard.files().iterator();
            return new EntryStream() {
                @Override
                public @Nullable ImageEntry next() throws IOException {
                    return names.hasNext() ? read(system, names.next(), maxBytes) : null;
                }

                @Override
                public void close() {}
            };
        }

        /** A file that is gone or forbidden is refused; one that merely cannot be reached now is an error, to be tried again. */
        private ImageEntry read(FileSystem system, String name, long maxBytes) throws IOException {
            Path file = Listing.file(folder, name);
            try {
                FileStatus status = system.getFileStatus(file);
                if (status.getLen() > maxBytes) {
                    return ImageEntry.tooLong(name, status.getLen(), maxBytes);
                }
                try (InputStream in = system.open(file)) {
                    return ImageEntry.of(name, in.readNBytes((int) maxBytes));
                }
            } catch (FileNotFoundException e) {
                // Hadoop throws this for local files that may not be read, too.
                return ImageEntry.refused(name, "the file is gone, or may not be read");
            } catch (AccessControlException e) {
                return ImageEntry.refused(name, "the file may not be read");
            }
        }
    }

    /** The files below a folder. */
    final class Listing {

        private Listing() {}

        /** A shard for each file with this ending. */
        static List<Shard> shards(String folder, Configuration hadoop, String ending) throws IOException {
            return below(folder, hadoop, name -> name.endsWith(ending)).stream()
                    .map(name -> new Shard(name, List.of(name)))
                    .toList();
        }

        /** Names of the files below a folder that are wanted, relative to it and sorted; hidden ones are left out. */
        static List<String> below(String folder, Configuration hadoop, Predicate<String> wanted) throws IOException {
            Path root = new Path(folder);
            FileSystem files = root.getFileSystem(hadoop);
            Path absolute = files.makeQualified(root);
            String start = absolute.toUri().getPath();
            int skipped = start.endsWith("/") ? start.length() : start.length() + 1;
            List<String> names = new ArrayList<>();
            for (RemoteIterator<LocatedFileStatus> all = files.listFiles(absolute, true); all.hasNext(); ) {
                String path = all.next().getPath().toUri().getPath();
                if (path.length() > skipped) {
                    String name = path.substring(skipped);
                    if (!isHidden(name) && wanted.test(name)) {
                        names.add(name);
                    }
                }
            }
            Collections.sort(names);
            return names;
        }

        /** The whole address of a folder, as the driver understands it. */
        static String qualified(String folder, Configuration hadoop) throws IOException {
            Path path = new Path(folder);
            return path.getFileSystem(hadoop).makeQualified(path).toString();
        }

        /** A file by its name in a listing. (A colon in a name would be taken for a scheme by {@code new Path(folder, name)}.) */
        static Path file(String folder, String name) {
            URI root = new Path(folder).toUri();
            return new Path(root.getScheme(), root.getAuthority(), root.getPath() + "/" + name);
        }

        /** Files and folders that start with a dot or an underscore are not data, as everywhere in Spark. */
        private static boolean isHidden(String name) {
            return name.startsWith(".") || name.startsWith("_") || name.contains("/.") || name.contains("/_");
        }
    }

    /**
     * The images of a tar archive in WebDataset's layout. Other entries (labels, captions, folders, links) are skipped,
     * and nothing is unpacked.
     */
    final class TarImages implements EntryStream {

        private static final int MAX_ARRAY = Integer.MAX_VALUE - 8;

        private final TarReader tar;
        private final int maxBytes;

        /** Reads from a stream, which it closes in the end; images of more bytes than the limit come refused. */
        public TarImages(InputStream in, long maxBytes) {
            this.tar = new TarReader(in, Long.MAX_VALUE);
            this.maxBytes = (int) Math.min(maxBytes, MAX_ARRAY);
        }

        @Override
        public @Nullable ImageEntry next() throws IOException {
            try {
                for (TarReader.Entry entry = tar.next(); entry != null; entry = tar.next()) {
                    if (entry.isFile() && ImageEntry.isImage(entry.name())) {
                        return entry.size() > maxBytes
                                ? ImageEntry.tooLong(entry.name(), entry.size(), maxBytes)
                                : ImageEntry.of(entry.name(), tar.content(maxBytes));
                    }
                }
                return null;
            } catch (TarException e) {
                throw new ShardException(String.valueOf(e.getMessage()));
            }
        }

        @Override
        public void close() throws IOException {
            tar.close();
        }
    }
}
