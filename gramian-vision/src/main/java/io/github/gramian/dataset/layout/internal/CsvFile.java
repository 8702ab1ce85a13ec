package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.DatasetException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A small strict CSV: commas, a header, fields in double quotes where they hold a comma or a quote (doubled), LF or CRLF.
 * No field holds a line break, so that every complaint can name its line; that is also why there is no CSV library here:
 * what a manifest needs is less than its configuration would be.
 */
public record CsvFile(String name, List<String> header, List<Row> rows) {

    /** The fields of a line, as many as the header has. */
    public record Row(String place, List<String> fields) {

        public String field(int column) {
            return fields.get(column);
        }

        String required(int column, String what) {
            String value = fields.get(column).strip();
            if (value.isEmpty()) {
                throw new DatasetException(place + ": the " + what + " is empty");
            }
            return value;
        }
    }

    public static CsvFile read(Path file) {
        return of(ImageTree.name(file), ListFile.lines(file));
    }

    /** From lines that are not blank, the header first. */
    static CsvFile of(String name, List<ListFile.Line> lines) {
        if (lines.isEmpty()) {
            throw new DatasetException(name + " is empty; its first line must be path,label or path,label,split");
        }
        List<String> header = fields(lines.get(0)).stream()
                .map(title -> title.strip().toLowerCase(Locale.ROOT))
                .toList();
        if (Set.copyOf(header).size() != header.size()) {
            throw new DatasetException(name + " has two columns of the same name: " + String.join(",", header));
        }
        List<Row> rows = new ArrayList<>();
        for (ListFile.Line line : lines.subList(1, lines.size())) {
            List<String> fields = fields(line);
            if (fields.size() != header.size()) {
                throw new DatasetException(line.place() + ": expected " + header.size() + " fields but found "
                        + fields.size() + "; put fields with commas in double quotes");
            }
            rows.add(new Row(line.place(), fields));
        }
        return new CsvFile(name, header, List.copyOf(rows));
    }

    /** The position of a column that must be there. */
    int column(String title) {
        int at = header.indexOf(title);
        if (at < 0) {
            throw new DatasetException(
                    name + " has no column '" + title + "'; its first line must be path,label or path,label,split");
        }
        return at;
    }

    private static List<String> fields(ListFile.Line line) {
        List<String> fields = new ArrayList<>();
        String text = line.text();
        int at = 0;
        while (true) {
            StringBuilder field = new StringBuilder();
            at = at < text.length() && text.charAt(at) == '"' ? quoted(line, at, field) : bare(line, at, field);
            fields.add(field.toString());
            if (at >= text.length()) {
                return fields;
            }
            if (text.charAt(at) != ',') {
                throw new DatasetException(line.place() + ": expected a comma after a closing quote");
            }
            at++;
        }
    }

    /** Reads a field without quotes into the builder; returns where it ends. */
    private static int bare(ListFile.Line line, int from, StringBuilder field) {
        int comma = line.text().indexOf(',', from);
        int end = comma < 0 ? line.text().length() : comma;
        field.append(line.text(), from, end);
        if (field.indexOf("\"") >= 0) {
            throw new DatasetException(line.place() + ": a quote inside a field; double it and quote the whole field");
        }
        return end;
    }

    /** Reads a quoted field into the builder; returns the position after its closing quote. */
    private static int quoted(ListFile.Line line, int from, StringBuilder field) {
        String text = line.text();
        for (int at = from + 1; at < text.length(); at++) {
            if (text.charAt(at) != '"') {
                field.append(text.charAt(at));
            } else if (at + 1 < text.length() && text.charAt(at + 1) == '"') {
                field.append('"');
                at++;
            } else {
                return at + 1;
            }
        }
        throw new DatasetException(line.place() + ": a quoted field does not end on its line");
    }
}
