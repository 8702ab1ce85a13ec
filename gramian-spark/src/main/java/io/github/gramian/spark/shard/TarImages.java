package io.github.gramian.spark.shard;

import io.github.gramian.io.internal.TarEntry;
import io.github.gramian.io.internal.TarException;
import io.github.gramian.io.internal.TarReader;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The images of a tar archive in WebDataset's layout. Other entries (labels, captions, folders, links) are skipped,
 * and nothing is unpacked.
 */
public final class TarImages implements EntryStream {

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
            for (TarEntry entry = tar.next(); entry != null; entry = tar.next()) {
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
