package io.github.gramian.spark.shard;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;

/**
 * Image files below a folder, some hundred of them a shard. For up to some hundred thousand files; more of them are packed
 * first ({@link Packer}), since opening a file costs as much as reading a long one.
 *
 * @param folder that holds them
 * @param filesPerShard how many one task reads
 */
public record LooseFiles(String folder, int filesPerShard) implements ShardSource {

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
                    String.format(Locale.ROOT, "files-%06d", shards.size()),
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
