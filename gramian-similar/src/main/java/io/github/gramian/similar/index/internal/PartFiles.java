package io.github.gramian.similar.index.internal;

import io.github.gramian.io.internal.Checksum;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files of a part, with a checksum of all their names, lengths and bytes.
 *
 * @param names relative to the part's directory, with slashes, sorted
 * @param bytes of all files
 * @param checksum CRC-32C of one line per file: name, length, CRC-32C
 */
public record PartFiles(List<String> names, long bytes, String checksum) {

    /** Lucene's lock, which belongs to the process that builds. */
    private static final String LOCK = "write.lock";

    /** Reads every byte of an index. */
    public static PartFiles of(Path part) throws IOException {
        List<String> names;
        try (Stream<Path> files = Files.walk(part)) {
            names = files.filter(Files::isRegularFile)
                    .filter(file -> !file.endsWith(LOCK))
                    .map(file -> part.relativize(file).toString().replace('\\', '/'))
                    .sorted()
                    .toList();
        }
        long bytes = 0;
        StringBuilder lines = new StringBuilder();
        for (String name : names) {
            try (FileChannel file = FileChannel.open(part.resolve(name))) {
                long size = file.size();
                String sum = new Checksum().add(file, 0, size).hex();
                lines.append(name)
                        .append(' ')
                        .append(size)
                        .append(' ')
                        .append(sum)
                        .append('\n');
                bytes += size;
            }
        }
        return new PartFiles(names, bytes, Checksum.of(lines.toString()));
    }
}
