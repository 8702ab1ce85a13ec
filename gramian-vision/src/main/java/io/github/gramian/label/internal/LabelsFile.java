package io.github.gramian.label.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.layout.internal.LabelHistory;
import io.github.gramian.io.internal.AtomicFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
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
    private final LabelState state;
    private Instant latest;

    private LabelsFile(Path file, FileChannel lock, String by, Clock clock, LabelHistory history) {
        this.file = file;
        this.lock = lock;
        this.by = by;
        this.clock = clock;
        this.note = history.note();
        this.latest = history.latest();
        this.state = LabelState.of(history, by);
    }

    /**
     * Opens a file, which is created if it does not exist. The incomplete last line of a killed process is removed, and missing
     * columns are added.
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
            if (!history.columns().equals(LabelHistory.COLUMNS)) {
                complete(file, history);
            } else if (history.torn()) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.truncate(history.validBytes());
                    channel.force(true);
                }
            } else {
                // Also shows at once whether lines can be added.
                AtomicFile.append(file, history.endsOpen() ? "\n" : "");
            }
            return new LabelsFile(file, lock, name(by), clock, history);
        } catch (IOException | RuntimeException failure) {
            lock.close();
            throw failure;
        }
    }

    private static FileChannel lock(Path file) throws IOException {
        FileChannel channel;
        try {
            channel = FileChannel.open(
                    file.resolveSibling("." + file.getFileName() + ".lock"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE);
        } catch (FileSystemException readOnly) {
            String reason = readOnly.getReason() == null ? "permission denied" : readOnly.getReason();
            throw new DatasetException(
                    "labels cannot be written into " + file.getParent() + " (" + reason
                            + "); copy the photographs into a"
                            + " directory that you may write to, or name a file in a writable directory above them with"
                            + " --labels",
                    readOnly);
        }
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

    /** Writes the lines again with the columns in the order in which lines will be added. */
    private static void complete(Path file, LabelHistory history) throws IOException {
        for (String column : history.columns()) {
            if (!LabelHistory.COLUMNS.contains(column)) {
                throw new DatasetException(
                        file + " has a column '" + column + "', but a labels file has only the columns "
                                + LabelHistory.HEADER + "; remove the column, or name another file with --labels");
            }
        }
        StringBuilder lines = new StringBuilder(LabelHistory.HEADER + "\n");
        history.entries().forEach(entry -> lines.append(line(entry)));
        AtomicFile.writeText(file, lines.toString());
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
        Map<String, List<String>> change = new LinkedHashMap<>();
        changes.forEach((path, label) -> change.put(path, List.of(label.isEmpty() ? "" : checked(label))));
        write(change);
    }

    /** Takes the latest change of this person back by new lines, and returns the paths that it was about; none if there is none. */
    public synchronized Set<String> undo() throws IOException {
        Map<String, List<String>> change = state.back();
        write(change);
        return change.keySet();
    }

    /** @param change path → its labels, one line each */
    private void write(Map<String, List<String>> change) throws IOException {
        if (change.isEmpty()) {
            return;
        }
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        // A clock that was set back must not make an earlier label the valid one, nor join two changes.
        Instant when = now.isAfter(latest) ? now : latest.plusMillis(1);
        StringBuilder lines = new StringBuilder();
        change.forEach((path, each) -> each.forEach(
                label -> lines.append(line(new LabelHistory.Entry(path, label, state.group(path), when, by)))));
        AtomicFile.append(file, lines.toString());
        latest = when;
        state.follow(change);
    }

    private static String line(LabelHistory.Entry entry) {
        String when = entry.when().equals(Instant.EPOCH) ? "" : entry.when().toString();
        return String.join(
                        ",", path(entry.path()), quoted(entry.label()), quoted(entry.group()), when, quoted(entry.by()))
                + "\n";
    }

    /** A path that would be taken for a formula or a drive is stored as {@code ./path}. */
    private static String path(String path) {
        if (path.isEmpty() || path.chars().anyMatch(Character::isISOControl) || path.indexOf('\\') >= 0) {
            throw new IllegalArgumentException(
                    "'" + path + "' cannot be stored in a labels file; rename the photograph");
        }
        return quoted(isFormula(path) || path.matches("[A-Za-z]:.*") ? "./" + path : path);
    }

    /** Blanks at the ends of a line would get lost without quotes. */
    private static String quoted(String field) {
        boolean plain = field.equals(field.strip()) && field.indexOf(',') < 0 && field.indexOf('"') < 0;
        return plain ? field : '"' + field.replace("\"", "\"\"") + '"';
    }

    /** The label of each labelled path. */
    public synchronized Map<String, String> labels() {
        return state.labels();
    }

    /** The label of a path; empty if it has none. */
    public synchronized String label(String path) {
        return state.label(path);
    }

    /** All labels that were ever given, in the order of their first use. */
    public synchronized List<String> classes() {
        return state.classes();
    }

    /** The group of each path that the file names one for. */
    public synchronized Map<String, String> groups() {
        return state.groups();
    }

    /** Whether the label of a path was given twice in a row. */
    public synchronized boolean isConfirmed(String path) {
        return state.isConfirmed(path);
    }

    /** Whether a change of this person can be taken back, be it one from before the file was opened. */
    public synchronized boolean canUndo() {
        return !state.back().isEmpty();
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

    /**
     * What the lines of a {@link LabelHistory} say now: labels, which of them were confirmed, and what takes each change back. It
     * follows from the lines alone, so that a restart changes nothing. A change is a map from each path to its labels, one line each.
     */
    private static final class LabelState {

        private static final int MAX_UNDO = 1000;

        private final Map<String, String> labels = new LinkedHashMap<>();
        private final Map<String, String> groups = new HashMap<>();
        private final Set<String> confirmed = new HashSet<>();
        private final Set<String> classes = new LinkedHashSet<>();

        /** What takes each change back, the latest first. */
        private final Deque<Map<String, List<String>>> undo = new ArrayDeque<>();

        private LabelState() {}

        /**
         * Follows all lines. Those with the same time and person are one change.
         *
         * @param by the person whose changes can be taken back, up to the latest one of somebody else or without a time
         */
        static LabelState of(LabelHistory history, String by) {
            LabelState state = new LabelState();
            List<LabelHistory.Entry> entries = history.chronological();
            for (int from = 0, to; from < entries.size(); from = to) {
                LabelHistory.Entry first = entries.get(from);
                Map<String, List<String>> change = new LinkedHashMap<>();
                for (to = from; to < entries.size() && isSameChange(first, entries.get(to)); to++) {
                    LabelHistory.Entry entry = entries.get(to);
                    state.groups.put(entry.path(), entry.group());
                    change.computeIfAbsent(entry.path(), path -> new ArrayList<>())
                            .add(entry.label());
                }
                state.follow(change);
                if (!first.by().equals(by) || first.when().equals(Instant.EPOCH)) {
                    state.undo.clear();
                }
            }
            return state;
        }

        private static boolean isSameChange(LabelHistory.Entry one, LabelHistory.Entry other) {
            return one.when().equals(other.when()) && one.by().equals(other.by());
        }

        /** The change that takes the latest one back; empty if there is none. */
        Map<String, List<String>> back() {
            return undo.isEmpty() ? Map.of() : undo.element();
        }

        /** A change in which each path loses its label before another line follows takes the latest one back: no other is written so. */
        void follow(Map<String, List<String>> change) {
            Map<String, List<String>> back = new LinkedHashMap<>();
            change.forEach((path, lines) -> {
                String before = label(path);
                back.put(path, isConfirmed(path) ? List.of("", before, before) : List.of("", before));
                lines.forEach(label -> store(path, label));
            });
            if (change.values().stream()
                    .allMatch(lines -> lines.size() > 1 && lines.get(0).isEmpty())) {
                undo.poll();
                return;
            }
            undo.push(back);
            if (undo.size() > MAX_UNDO) {
                undo.removeLast();
            }
        }

        private void store(String path, String label) {
            String before = label(path);
            if (label.isEmpty()) {
                labels.remove(path);
            } else {
                labels.put(path, label);
                classes.add(label);
            }
            if (!label.isEmpty() && label.equals(before)) {
                confirmed.add(path);
            } else {
                confirmed.remove(path);
            }
        }

        /** Empty if a path has none. */
        String label(String path) {
            return labels.getOrDefault(path, "");
        }

        Map<String, String> labels() {
            return Map.copyOf(labels);
        }

        /** All labels that were ever given, in the order of their first use. */
        List<String> classes() {
            return List.copyOf(classes);
        }

        /** Empty if a path has none. */
        String group(String path) {
            return groups.getOrDefault(path, "");
        }

        Map<String, String> groups() {
            return Map.copyOf(groups);
        }

        /** Whether the label of a path was given twice in a row. */
        boolean isConfirmed(String path) {
            return confirmed.contains(path);
        }
    }
}
