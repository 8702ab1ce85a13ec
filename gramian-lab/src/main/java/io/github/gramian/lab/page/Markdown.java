package io.github.gramian.lab.page;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/** A page of Markdown. What comes from files of results neither ends a cell, nor links, nor is HTML. */
final class Markdown {

    private final StringBuilder page = new StringBuilder();

    /** The next line. */
    Markdown line(String text) {
        page.append(text).append('\n');
        return this;
    }

    /** A heading, a paragraph or the first item of a list, after an empty line. */
    Markdown paragraph(String text) {
        return line("").line(text);
    }

    /** A table with a line for each of these rows. */
    <R> Markdown table(Table<R> table, Collection<R> rows) {
        paragraph(table.line(column -> " " + column.head() + " ")).line(table.line(Column::rule));
        rows.forEach(row -> line(table.line(column -> " " + column.cell().apply(row) + " ")));
        return this;
    }

    @Override
    public String toString() {
        return page.toString();
    }

    /** A column of a table: its head, the mark below that, and its cell in each row. */
    private record Column<R>(String head, String rule, Function<R, String> cell) {}

    /** The columns of a table, from the left. */
    static final class Table<R> {

        private final List<Column<R>> columns = new ArrayList<>();

        Table<R> text(String head, Function<R, String> cell) {
            columns.add(new Column<>(head, "---", cell));
            return this;
        }

        Table<R> figure(String head, Function<R, String> cell) {
            columns.add(new Column<>(head, "---:", cell));
            return this;
        }

        private String line(Function<Column<R>, String> cell) {
            StringBuilder line = new StringBuilder("|");
            columns.forEach(column -> line.append(cell.apply(column)).append('|'));
            return line.toString();
        }
    }

    /** In a sentence, a heading or a cell. */
    static String text(String text) {
        return plain(text)
                .replaceAll("[\\\\`|\\[\\]]", "\\\\$0")
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;");
    }

    /** Between backquotes, where nothing else has a meaning. */
    static String code(String text) {
        return "`" + plain(text).replace('`', '\'').replace("|", "\\|") + "`";
    }

    /** On one line, without characters that cannot be seen or that turn the direction of writing around. */
    static String plain(String text) {
        return text.replaceAll("[\\p{Cc}\\u2028\\u2029\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069]+", " ");
    }
}
