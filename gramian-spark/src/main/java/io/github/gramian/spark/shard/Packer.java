package io.github.gramian.spark.shard;

import io.github.gramian.io.internal.TarWriter;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Packs loose image files into tar shards, in the order of their paths: equal files are packed into equal bytes, by any process that packs
 * and however often. A shard takes its name when it is complete; a restart makes only those that are missing.
 */
public final class Packer {

    private final PackSettings settings;

    public Packer(PackSettings settings) {
        this.settings = settings;
    }

    /** A file that is not in its shard, and why. */
    public record LeftOut(String name, String reason) implements Serializable {}

    /** The shards to be made, named {@code shard-000000.tar} and on. */
    public List<Shard> plan(Configuration hadoop) throws IOException {
        List<Shard> plan = source().list(hadoop).stream()
                .map(part -> new Shard(part.name().replace("files-", "shard-") + ".tar", part.files()))
                .toList();
        if (plan.isEmpty()) {
            throw new ShardException("no images below " + settings.input() + "; names must end in one of "
                    + ImageEntry.ENDINGS.stream().sorted().toList());
        }
        return plan;
    }

    /** Makes one shard, unless it exists; returns what was left out. */
    public List<LeftOut> pack(Shard shard, Configuration hadoop) throws IOException {
        Path target = new Path(settings.output(), shard.name());
        FileSystem files = target.getFileSystem(hadoop);
        if (files.exists(target)) {
            return List.of();
        }
        Path temporary = new Path(settings.output(), "_" + shard.name() + "." + UUID.randomUUID());
        List<LeftOut> leftOut = new ArrayList<>();
        try {
            try (TarWriter tar = new TarWriter(files.create(temporary, true));
                    EntryStream entries = source().open(shard, hadoop, settings.maxBytes())) {
                for (ImageEntry entry = entries.next(); entry != null; entry = entries.next()) {
                    if (entry.refused() != null) {
                        leftOut.add(new LeftOut(entry.name(), entry.refused()));
                    } else {
                        tar.add(entry.name(), entry.content());
                    }
                }
            }
            if (leftOut.size() == shard.files().size()) {
                throw new ShardException("none of the " + leftOut.size() + " files of " + shard.name()
                        + " can be read; the first, " + leftOut.get(0).name() + ": "
                        + leftOut.get(0).reason());
            }
            // Two that made the same shard at once made the same bytes: the later one is not needed.
            if (!files.rename(temporary, target) && !files.exists(target)) {
                throw new IOException(target + " could not be given its name");
            }
            return leftOut;
        } finally {
            files.delete(temporary, false);
        }
    }

    private LooseFiles source() {
        return new LooseFiles(settings.input(), settings.imagesPerShard());
    }
}
