package io.github.gramian.label.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.layout.internal.LabelHistory;
import io.github.gramian.io.internal.AtomicFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Writes labels into a {@link LabelHistory}. A label is on the disk when {@link #put} returns: its line is complete, or the call
 * fails and the file is as it was. One process may write at a time.
 */
public final class LabelsFile implements AutoCloseable {

    /** Longer strings are not names of classes, and one line stays short. */
    private static final int LONGEST_LABEL = 100;

    /** A spreadsheet takes a field that starts with one of these as a formula. */
    private static final String FORMULA = "=+-@";

    private final Path file;
    private final FileChannel lock;
    private final String by;
    private final Clock clock;
    private final Optional<String> note;
    private final Map<String, String> labels = new LinkedHashMap<>();
    private final Map<String, String> groups = new HashMap<>();
    private final Set<String> confirmed;
    private Instant latest;

    private LabelsFile(Path file, FileChannel lock, String by, Clock clock, LabelHistory history) {
        this.file = file;
        this.lock = lock;
        this.by = by;
        this.clock = clock;
        this.note = history.note();
        this.latest = history.latest();
        this.confirmed = new HashSet<>(history.confirmed());
        for (LabelHistory.Entry entry : history.newest().values()) {
            groups.put(entry.path(), entry.group());
            if (!entry.label().isEmpty()) {
                labels.put(entry.path(), entry.label());
            }
        }
    }

    /**
     * Opens a file, which is created if it does not exist. The incomplete last line of a killed process is removed.
     *
     * @param by name of the person or program whose labels these are
     * @throws DatasetException if it is not a labels file, or another process writes into it
     */
    public static LabelsFile open(Path file, String by, Clock clock) throws IOException {
        FileChannel lock = lock(file);
        try {
            if (!Files.exists(file) || Files.size(file) == 0) {
                AtomicFile.writeText(file, LabelHistory.HEADER + "\n");
            }
            LabelHistory history = LabelHistory.read(file);
            requireHeader(file);
            if (history.torn()) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.truncate(history.validBytes());
                    channel.force(true);
                }
            } else if (history.endsOpen()) {
                AtomicFile.append(file, "\n");
            }
            return new LabelsFile(file, lock, name(by), clock, history);
        } catch (IOException | RuntimeException failure) {
            lock.close();
            throw failure;
        }
    }

    private static FileChannel lock(Path file) throws IOException {
        Path place = file.resolveSibling("." + file.getFileName() + ".lock");
        FileChannel channel = FileChannel.open(place, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            // falls through to the same advice
        } catch (IOException | RuntimeException failure) {
            channel.close();
            throw failure;
        }
        channel.close();
        throw new DatasetException("another process writes into " + file + "; stop it first");
    }

    /** Lines are added in this order of columns. */
    private static void requireHeader(Path file) throws IOException {
        try (var lines = Files.lines(file)) {
            String header = lines.findFirst().orElse("").replace("\uFEFF", "").strip();
            if (!header.equals(LabelHistory.HEADER)) {
                throw new DatasetException(file + " must start with the line " + LabelHistory.HEADER);
            }
        }
    }

    /** A name without the characters that a line or a spreadsheet could trip over. */
    private static String name(String text) {
        String plain = text.replaceAll("[^\\p{L}\\p{N} ._-]", "").strip();
        return plain.isEmpty() || isFormula(plain) ? "studio" : plain.substring(0, Math.min(plain.length(), 60));
    }

    private static boolean isFormula(String text) {
        return !text.isEmpty() && FORMULA.indexOf(text.charAt(0)) >= 0;
    }

    /**
     * The name of a class as it will be stored, without surrounding blanks.
     *
     * @throws IllegalArgumentException if it cannot be a name
     */
    public static String checked(String label) {
        String plain = label.strip();
        if (plain.isEmpty() || plain.length() > LONGEST_LABEL) {
            throw new IllegalArgumentException("a label must have 1 to " + LONGEST_LABEL + " characters");
        }
        if (plain.chars().anyMatch(c -> Character.isISOControl(c) || c == '\u2028' || c == '\u2029' || c == 0xFFFD)
                || !StandardCharsets.UTF_8.newEncoder().canEncode(plain)) {
            throw new IllegalArgumentException("a label must not hold control characters");
        }
        if (isFormula(plain)) {
            throw new IllegalArgumentException(
                    "a label must not start with " + plain.charAt(0) + ", since spreadsheets take that as a formula");
        }
        return plain;
    }

    /**
     * Adds lines and forces them to the disk.
     *
     * @param changes path → label; an empty label removes one
     */
    public synchronized void put(Map<String, String> changes) throws IOException {
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        // A clock that was set back must not make an earlier label the valid one.
        Instant when = now.isAfter(latest) ? now : latest;
        StringBuilder lines = new StringBuilder();
        Map<String, String> checked = new LinkedHashMap<>();
        changes.forEach((path, label) -> checked.put(path, label.isEmpty() ? "" : checked(label)));
        checked.forEach((path, label) -> lines.append(
                String.join(",", path(path), quoted(label), quoted(groups.getOrDefault(path, "")), when.toString(), by)
                        + "\n"));
        AtomicFile.append(file, lines.toString());
        latest = when;
        checked.forEach(this::store);
    }

    private void store(String path, String label) {
        String before = label.isEmpty() ? labels.remove(path) : labels.put(path, label);
        if (!label.isEmpty() && label.equals(before)) {
            confirmed.add(path);
        } else {
            confirmed.remove(path);
        }
    }

    /** A path whose first character would make it a formula is stored as {@code ./path}. */
    private static String path(String path) {
        if (path.isEmpty() || path.chars().anyMatch(Character::isISOControl) || path.indexOf('\\') >= 0) {
            throw new IllegalArgumentException(
                    "'" + path + "' cannot be stored in a labels file; rename the photograph");
        }
        return quoted(isFormula(path) ? "./" + path : path);
    }

    /** Blanks at the ends of a line would get lost without quotes. */
    private static String quoted(String field) {
        boolean plain = field.equals(field.strip()) && field.indexOf(',') < 0 && field.indexOf('"') < 0;
        return plain ? field : '"' + field.replace("\"", "\"\"") + '"';
    }

    /** The label of each labelled path. */
    public synchronized Map<String, String> labels() {
        return Map.copyOf(labels);
    }

    /** The group of each path that the file names one for. */
    public synchronized Map<String, String> groups() {
        return Map.copyOf(groups);
    }

    /** Whether the label of a path was given twice in a row. */
    public synchronized boolean isConfirmed(String path) {
        return confirmed.contains(path);
    }

    /** A sentence about an incomplete line that was left out. */
    public Optional<String> note() {
        return note;
    }

    public Path file() {
        return file;
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
