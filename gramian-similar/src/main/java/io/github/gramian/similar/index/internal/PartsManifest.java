package io.github.gramian.similar.index.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.json.internal.Json;
import java.io.IOException;
import java.io.Serializable;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The file {@code parts.json} of a directory of independent indexes, which {@code gramian-spark index} writes. All parts have the
 * reduction that lies next to it. It is written last and replaced in one step: a part that it does not list does not exist.
 *
 * @param common what the parts share: model, reduction and dimensions
 * @param root directory of the photographs; empty if they lie in shards
 * @param parts in the order of their names
 */
public record PartsManifest(Manifest common, String root, List<Part> parts) {

    public static final String FILE = "parts.json";

    private static final String FORMAT = "gramian-index-parts-1";
    private static final int MAX_PARTS = 100_000;
    private static final long MAX_BYTES = 64L << 20;

    /** No path can be hidden in such a name. */
    private static final Pattern NAME = Pattern.compile("part-[0-9a-f]{8}-[0-9]{5}-[0-9a-f]{8}");

    /**
     * One index.
     *
     * @param name of its directory
     * @param table that its vectors come from
     * @param tableIdentity checksum of the table's files
     * @param photographs number of photographs in it
     * @param quarantined number of rows of the table that are not in it, since they have no usable descriptor
     * @param bytes of its files
     * @param checksum of its files, as {@link PartFiles} computes it
     */
    public record Part(
            String name,
            String table,
            String tableIdentity,
            long photographs,
            long quarantined,
            long bytes,
            String checksum)
            implements Serializable {

        private static final long serialVersionUID = 1L;

        public Part {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException("'" + name + "' is not the name of a part");
            }
            if (photographs < 1 || photographs > Integer.MAX_VALUE || quarantined < 0 || bytes < 0) {
                throw new IllegalArgumentException("the part " + name + " has " + photographs + " photographs, "
                        + quarantined + " rows in quarantine and " + bytes + " bytes");
            }
        }
    }

    public PartsManifest {
        parts = List.copyOf(parts);
        if (parts.isEmpty() || parts.size() > MAX_PARTS) {
            throw new IllegalArgumentException(
                    "the number of parts must lie in 1.." + MAX_PARTS + " but is " + parts.size());
        }
        Set<String> names = new HashSet<>();
        for (Part part : parts) {
            if (!names.add(part.name())) {
                throw new IllegalArgumentException("the part " + part.name() + " is listed twice");
            }
        }
    }

    /** Number of photographs in all parts. */
    public long photographs() {
        return parts.stream().mapToLong(Part::photographs).sum();
    }

    /** Whether a directory has such a file. */
    public static boolean isIn(Path folder) {
        return Files.exists(folder.resolve(FILE));
    }

    /** The content of the file. */
    public String text() {
        return Manifest.CheckedJson.text(Json.members(
                Map.entry("format", FORMAT),
                Map.entry("model", common.model()),
                Map.entry("modelSha256", common.modelSha256()),
                Map.entry("reduction", common.reduction()),
                Map.entry("dimensions", common.dimensions()),
                Map.entry("root", root),
                Map.entry("photographs", photographs()),
                Map.entry("parts", parts)));
    }

    /**
     * Reads the file of a directory.
     *
     * @throws IndexException if it is not such a file, or damaged
     */
    static PartsManifest read(Path folder) throws IOException {
        return Manifest.CheckedJson.read(folder.resolve(FILE), MAX_BYTES, "manifest of parts", PartsManifest::parse);
    }

    /**
     * Reads the content of the file.
     *
     * @throws IllegalArgumentException if the bytes are not exactly what {@link #text} returns
     */
    public static PartsManifest parse(byte[] bytes) {
        return Manifest.CheckedJson.parse(bytes, FORMAT, PartsManifest::of, PartsManifest::text);
    }

    private static PartsManifest of(JsonNode tree) throws IOException {
        List<Part> parts = new ArrayList<>();
        for (JsonNode part : tree.path("parts")) {
            parts.add(Json.value(part, Part.class));
        }
        return new PartsManifest(Manifest.of(tree), tree.path("root").asText(), parts);
    }

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
}
