package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.DatasetException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A text file with one entry per line, as the official datasets use them. */
final class ListFile {

    /** A million images take about 60 MB; what is far larger is not a list. */
    private static final long LARGEST = 512L << 20;

    private static final int LONGEST_PATH = 4096;

    /** Elsewhere, a:1.jpg is a name like any other. */
    private static final boolean DRIVES = File.separatorChar == '\\';

    /** A line that is not blank, and where it stands. */
    record Line(String place, String text) {

        /** The string before the first space and the string after it. */
        String[] twoFields() {
            int space = text.indexOf(' ');
            if (space < 1 || space == text.length() - 1) {
                throw new DatasetException(
                        place + ": expected two fields with a space between but found '" + text + "'");
            }
            return new String[] {
                text.substring(0, space), text.substring(space + 1).strip()
            };
        }

        /** The whole line as a path inside the root. */
        String path() {
            return checkedPath(text, place);
        }
    }

    private ListFile() {}

    /** The lines that are not blank, without surrounding blanks. */
    static List<Line> lines(Path file) {
        requireSane(file);
        List<Line> lines = new ArrayList<>();
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            int number = 0;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                number++;
                String text = withoutMark(line, number).strip();
                if (!text.isEmpty()) {
                    lines.add(new Line(file.getFileName() + " line " + number, text));
                }
            }
        } catch (CharacterCodingException e) {
            throw new DatasetException(file + " is not UTF-8 text; save it as UTF-8", e);
        } catch (IOException e) {
            throw new DatasetException("cannot read " + file + ": " + e.getMessage(), e);
        }
        return lines;
    }

    /** Lines of two fields as a map in the file's order; a key may stand there once. */
    static Map<String, Line> byFirstField(Path file) {
        Map<String, Line> entries = new LinkedHashMap<>();
        for (Line line : lines(file)) {
            String[] fields = line.twoFields();
            if (entries.put(fields[0], new Line(line.place(), fields[1])) != null) {
                throw new DatasetException(line.place() + ": '" + fields[0] + "' is in the file twice");
            }
        }
        return entries;
    }

    private static void requireSane(Path file) {
        try {
            if (Files.size(file) > LARGEST) {
                throw new DatasetException(
                        file + " has more than " + (LARGEST >> 20) + " MB; that is not a list of images");
            }
        } catch (IOException e) {
            throw new DatasetException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    /** Some editors put a byte-order mark before the first line. */
    private static String withoutMark(String line, int number) {
        return number == 1 && line.startsWith("\uFEFF") ? line.substring(1) : line;
    }

    /**
     * A path that a file names, with plain forward slashes. It must lead to a file inside the root; links that the owner of the tree
     * put there may lead elsewhere.
     *
     * @param place where it was read, for the error
     */
    static String checkedPath(String text, String place) {
        if (text.isEmpty() || text.length() > LONGEST_PATH) {
            throw new DatasetException(place + ": a path must have 1 to " + LONGEST_PATH + " characters");
        }
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw new DatasetException(place + ": the path holds control characters; remove them");
        }
        if (text.indexOf('\\') >= 0) {
            throw new DatasetException(place + ": write '" + text + "' with forward slashes");
        }
        List<String> steps = new ArrayList<>();
        for (String step : text.split("/", -1)) {
            if (step.equals("..")) {
                throw new DatasetException(place + ": '" + text + "' leaves the root; paths must lie inside it");
            }
            if (!step.isEmpty() && !step.equals(".")) {
                steps.add(step);
            }
        }
        if (steps.isEmpty()) {
            throw new DatasetException(place + ": '" + text + "' names no file");
        }
        String path = String.join("/", steps);
        if (text.startsWith("/") || text.matches("[A-Za-z]:/.*") || (DRIVES && path.matches("[A-Za-z]:.*"))) {
            throw new DatasetException(place + ": '" + text + "' is absolute; paths must be relative to the root");
        }
        return path;
    }
}
