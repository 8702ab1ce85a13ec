package io.github.gramian.cli.model;

import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.Progress;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.BatchPredictor;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian describe}: the descriptors of images, for other programs. */
@Command(
        name = "describe",
        description = {
            "Writes the descriptors of images for other programs.",
            "The file has one row per image.",
            "X.npy is NumPy's format; X.f32 is plain little-endian float32 with its shape in X.json.",
            "X.files.jsonl names the file of each row, and the files that gave none.",
            "Exits with 1 if a file was not an image that can be read."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian describe runs/first photos/ --out photos.npy",
            "  find . -name '*.png' | gramian describe model.gramian - --out pngs.f32"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class DescribeCommand extends PrintingCommand {

    private static final int SOME_REJECTED = 1;

    @Mixin
    private ModelArgument model;

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "IMAGE", description = ImageArguments.DESCRIPTION)
    private List<String> images = new ArrayList<>();

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "File to write, .npy or .f32.")
    private Path out;

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Override
    public Integer call() throws IOException {
        DescriptorFile.Format format = DescriptorFile.Format.of(out);
        model.requireFirst("describe", images);
        DescriptorFile file;
        try (BatchPredictor predictor = model.load()) {
            LoaderSettings settings = LoaderSettings.defaults(model.batch());
            file = new DescriptorFile(out, format, predictor.descriptorLength());
            file.write(rows -> new ImageArguments(images, line -> note("note: " + line))
                    .each(files -> describe(predictor, settings, files, rows)));
        }
        PrintWriter text = stdout();
        text.println(out + ": " + Text.count(file.rows(), "descriptor") + " of " + file.length() + " dimensions; "
                + Text.count(file.rejected(), "file") + " rejected, see " + file.names());
        text.flush();
        return file.rejected() > 0 ? SOME_REJECTED : 0;
    }

    private void note(String line) {
        if (!quiet) {
            stderr().println(line);
        }
    }

    private void describe(
            BatchPredictor predictor, LoaderSettings settings, List<Path> files, DescriptorFile.Rows rows) {
        PrintWriter err = stderr();
        long[] done = {0};
        try (Progress progress = new Progress("describing", "images", files.size(), err, quiet)) {
            predictor.describe(files, settings, reading -> {
                rows.add(reading);
                progress.done(++done[0]);
            });
        }
    }

    /**
     * Rows of float32 as other programs read them, written as they come: their number is only known at the end. Names
     * are in a file next to it, and all files are written atomically.
     */
    static final class DescriptorFile {

        private final Path file;
        private final Format format;
        private final int length;
        private final StringBuilder lines = new StringBuilder();
        private long rows;
        private long rejected;

        /** @param length dimensions of a row */
        DescriptorFile(Path file, Format format, int length) {
            this.file = file;
            this.format = format;
            this.length = length;
        }

        /** The header before the values. */
        enum Format {
            /** NumPy's, version 1.0. */
            NPY(128) {
                @Override
                byte[] header(long rows, int length) {
                    // Spaces fill it up to a multiple of 64 that is large enough for any number of rows.
                    String text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + rows + ", " + length + "), }";
                    int padded = bytes - 10;
                    byte[] words =
                            (text + " ".repeat(padded - 1 - text.length()) + "\n").getBytes(StandardCharsets.US_ASCII);
                    return ByteBuffer.allocate(bytes)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .put(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0})
                            .putShort((short) padded)
                            .put(words)
                            .array();
                }
            },
            /** Values without a header. */
            F32(0) {
                @Override
                byte[] header(long rows, int length) {
                    return new byte[0];
                }
            };

            final int bytes;

            Format(int bytes) {
                this.bytes = bytes;
            }

            abstract byte[] header(long rows, int length);

            /** The format that a file's name asks for. */
            static Format of(Path file) {
                String name = file.toString().toLowerCase(Locale.ROOT);
                for (Format format : values()) {
                    if (name.endsWith("." + format.name().toLowerCase(Locale.ROOT))) {
                        return format;
                    }
                }
                throw new IllegalArgumentException("--out " + file + " must end in .npy or .f32");
            }
        }

        /** Receives descriptors one after the other. */
        interface Rows {
            void add(Reading reading);
        }

        /** Makes the rows. */
        interface Content {
            void writeTo(Rows rows) throws IOException;
        }

        /** Writes all rows that the content makes. Values never lie next to the names or the shape of others. */
        void write(Content content) throws IOException {
            AtomicFile.writeTogether(file, channel -> values(content, channel), this::about);
        }

        private Map<Path, String> about() {
            return format == Format.NPY
                    ? Map.of(names(), lines.toString())
                    : Map.of(names(), lines.toString(), nextTo(".json"), Json.text(shape()) + "\n");
        }

        private void values(Content content, FileChannel channel) throws IOException {
            AtomicFile.put(ByteBuffer.allocate(format.bytes), channel);
            ByteBuffer row =
                    ByteBuffer.allocate(Math.multiplyExact(length, Float.BYTES)).order(ByteOrder.LITTLE_ENDIAN);
            content.writeTo(reading -> add(reading, row, channel));
            channel.position(0);
            AtomicFile.put(ByteBuffer.wrap(format.header(rows, length)), channel);
        }

        private void add(Reading reading, ByteBuffer row, FileChannel channel) {
            try {
                Optional<String> rejection = reading.prediction().rejection();
                if (rejection.isEmpty()) {
                    row.clear();
                    row.asFloatBuffer().put(reading.descriptor());
                    AtomicFile.put(row, channel);
                }
                Map<String, @Nullable Object> line = new LinkedHashMap<>();
                line.put("row", rejection.isEmpty() ? (Long) rows : null);
                line.put("file", reading.prediction().image());
                if (rejection.isEmpty()) {
                    rows++;
                } else {
                    rejected++;
                    line.put("rejected", rejection.get());
                }
                lines.append(Json.text(line)).append('\n');
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        private Map<String, Object> shape() {
            Map<String, Object> shape = new LinkedHashMap<>();
            shape.put("rows", rows);
            shape.put("length", length);
            shape.put("dtype", "float32");
            shape.put("byteOrder", "little");
            return shape;
        }

        /** Names the file of each row. */
        Path names() {
            return nextTo(".files.jsonl");
        }

        private Path nextTo(String ending) {
            String name = String.valueOf(file.getFileName());
            return file.resolveSibling(name.substring(0, name.lastIndexOf('.')) + ending);
        }

        long rows() {
            return rows;
        }

        int length() {
            return length;
        }

        long rejected() {
            return rejected;
        }
    }
}
