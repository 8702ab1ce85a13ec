package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.DatasetException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A labels file: one line per label that was ever given, with the columns {@code path,label,group,when,by}, of which only the
 * first two are needed. Lines are only added. For each path the line with the latest time is valid, the last one of equal ones;
 * an empty label removes an earlier one.
 * Files of several people can therefore be concatenated.
 *
 * <p>A process that is killed may leave a part of a line at the end. It is left out, and {@link #note} reports it.
 *
 * @param name of the file
 * @param columns titles of its columns
 * @param entries all complete lines, oldest first
 * @param validBytes length of the file up to the end of its last complete line
 * @param endsOpen whether the last complete line has no line break
 * @param torn whether a part of a line follows
 */
public record LabelHistory(
        String name, List<String> columns, List<Entry> entries, long validBytes, boolean endsOpen, boolean torn) {

    /** The header of files that Gramian writes. */
    public static final String HEADER = "path,label,group,when,by";

    /** Its titles. */
    public static final List<String> COLUMNS = List.of(HEADER.split(",", -1));

    /** Half a million labels take about 40 MB. */
    private static final long LARGEST = 256L << 20;

    private static final int LONGEST_HEADER = 1000;

    /**
     * One line.
     *
     * @param path relative to the directory of the file, with forward slashes
     * @param label name of the class; empty if the label was removed
     * @param group the object that the image shows, or empty
     * @param when time of the label
     * @param by the person or program that gave it
     */
    public record Entry(String path, String label, String group, Instant when, String by) {}

    public LabelHistory {
        columns = List.copyOf(columns);
        entries = List.copyOf(entries);
    }

    /** Whether the first line of a CSV file has a column for the time. */
    public static boolean isHistory(Path file) {
        try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
            char[] first = new char[LONGEST_HEADER];
            int read = reader.read(first);
            String header =
                    new String(first, 0, Math.max(read, 0)).lines().findFirst().orElse("");
            return List.of(header.replace("\"", "")
                            .toLowerCase(Locale.ROOT)
                            .strip()
                            .split("\\s*,\\s*", -1))
                    .contains("when");
        } catch (IOException e) {
            return false; // the next reader reports the reason
        }
    }

    /** Reads a file. A damaged line is refused with its number, unless it is the last one and incomplete. */
    public static LabelHistory read(Path file) {
        String name = ImageTree.name(file);
        byte[] bytes = bytes(file);
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        int lineBreak = end;
        Optional<CsvFile> whole = end < bytes.length ? withTail(name, bytes) : Optional.empty();
        boolean open = whole.isPresent();
        CsvFile csv = whole.orElseGet(() -> CsvFile.of(name, lines(name, bytes, lineBreak)));
        return new LabelHistory(
                name, csv.header(), entries(csv), open ? bytes.length : end, open, !open && end < bytes.length);
    }

    private static byte[] bytes(Path file) {
        try {
            if (Files.size(file) > LARGEST) {
                throw new DatasetException(
                        file + " has more than " + (LARGEST >> 20) + " MB; that is not a labels file");
            }
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new DatasetException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    /** The file with the characters after the last line break as a line, if these have all fields: an editor may have left them. */
    private static Optional<CsvFile> withTail(String name, byte[] bytes) {
        try {
            CsvFile csv = CsvFile.of(name, lines(name, bytes, bytes.length));
            entries(csv);
            return Optional.of(csv);
        } catch (DatasetException e) {
            return Optional.empty();
        }
    }

    private static String text(byte[] bytes, int to, String name) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, 0, to))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new DatasetException(name + " is not UTF-8 text; save it as UTF-8", e);
        }
    }

    /** The lines that are not blank, each with its number in the file. */
    private static List<ListFile.Line> lines(String name, byte[] bytes, int to) {
        List<ListFile.Line> lines = new ArrayList<>();
        int number = 0;
        for (String line : (Iterable<String>) text(bytes, to, name).lines()::iterator) {
            number++;
            String plain = (number == 1 && line.startsWith("\uFEFF") ? line.substring(1) : line).strip();
            if (!plain.isEmpty()) {
                lines.add(new ListFile.Line(name + " line " + number, plain));
            }
        }
        return lines;
    }

    private static List<Entry> entries(CsvFile csv) {
        int path = csv.column("path");
        int label = csv.column("label");
        List<Entry> entries = new ArrayList<>();
        Instant before = Instant.EPOCH;
        for (CsvFile.Row row : csv.rows()) {
            before = time(field(csv, row, "when")).orElse(before);
            entries.add(new Entry(
                    ListFile.checkedPath(row.field(path), row.place()),
                    row.field(label).strip(),
                    field(csv, row, "group").strip(),
                    before,
                    field(csv, row, "by")));
        }
        return entries;
    }

    /** Empty if there is no such column. */
    private static String field(CsvFile csv, CsvFile.Row row, String title) {
        int at = csv.header().indexOf(title);
        return at < 0 ? "" : row.field(at);
    }

    /** Spreadsheets may rewrite times. A line whose time cannot be read counts as made right after the line before it. */
    private static Optional<Instant> time(String text) {
        try {
            // Four digits of a year: later times would leave none for the labels after them.
            return text.matches("[0-9]{4}-[-0-9T:.]{6,30}Z") ? Optional.of(Instant.parse(text)) : Optional.empty();
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** The valid line of each path that was ever labelled, in the order of first appearance. */
    public Map<String, Entry> newest() {
        Map<String, Entry> newest = new LinkedHashMap<>();
        for (Entry entry : entries) {
            newest.merge(entry.path(), entry, (old, other) -> other.when().isBefore(old.when()) ? old : other);
        }
        return newest;
    }

    /** The valid lines of images that have a label. */
    public List<Entry> labelled() {
        return newest().values().stream()
                .filter(entry -> !entry.label().isEmpty())
                .toList();
    }

    /** All lines by their times; those of equal times in the order of the file. */
    public List<Entry> chronological() {
        return entries.stream().sorted(Comparator.comparing(Entry::when)).toList();
    }

    /** The time of the latest line; the epoch if there is none. */
    public Instant latest() {
        return entries.stream().map(Entry::when).max(Instant::compareTo).orElse(Instant.EPOCH);
    }

    /** A sentence about what was left out. */
    public Optional<String> note() {
        return torn
                ? Optional.of(name + ": the last line is incomplete and was left out; its label was never confirmed")
                : Optional.empty();
    }
}
