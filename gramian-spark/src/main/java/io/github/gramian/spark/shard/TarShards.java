package io.github.gramian.spark.shard;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** Every {@code .tar} file below a folder is a shard. */
public record TarShards(String folder) implements ShardSource {

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
        return Listing.below(folder, hadoop, name -> name.endsWith(".tar")).stream()
                .map(name -> new Shard(name, List.of(name)))
                .toList();
    }

    @Override
    public EntryStream open(Shard shard, Configuration hadoop, long maxBytes) throws IOException {
        Path file = Listing.file(folder, shard.files().get(0));
        return new TarImages(file.getFileSystem(hadoop).open(file, BUFFER), maxBytes);
    }
}
