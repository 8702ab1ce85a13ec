package io.github.gramian.cli;

import io.github.gramian.cli.CommandText.Argument;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.GramianVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Manual pages: {@code gramian.1}, and {@code gramian-model-show.1} for {@code gramian model show}, in the macros of {@code
 * man(7)}. They have no date, so that one version is always the same bytes.
 */
final class ManualPages {

    private static final List<Argument> COMMON = List.of(
            new Argument("-h, --help", "", "Show the options, with examples."),
            new Argument("-V, --version", "", "Print the versions of gramian, Java and the engines."),
            new Argument("--debug", "", "Show where an error comes from, for a bug report."));

    private static final List<Argument> EXITS = List.of(
            new Argument("0", "", "Done."),
            new Argument(
                    "1",
                    "",
                    "Something failed: a full disk, no permission, no memory, a check, a file that was rejected."),
            new Argument("2", "", "Wrong input; the line on standard error describes how to fix it."),
            new Argument("75", "", "Another process of a training was lost; the same command continues."),
            new Argument("130", "", "Stopped by Ctrl-C."),
            new Argument("141", "", "The reader of the output has gone."));

    private ManualPages() {}

    /** One for a command and one for each below it. */
    static void write(CommandText command, Path folder) throws IOException {
        AtomicFile.writeText(folder.resolve(page(command) + ".1"), text(command));
        for (CommandText below : command.subcommands()) {
            write(below, folder);
        }
    }

    private static String page(CommandText command) {
        return command.name().replace(' ', '-');
    }

    private static String text(CommandText command) {
        String page = page(command);
        List<CommandText> below = command.subcommands();
        return Stream.of(
                        ".TH " + escaped(page.toUpperCase(Locale.ROOT)) + " 1 \"\" \"gramian "
                                + escaped(GramianVersion.text()) + "\" \"Gramian\"\n",
                        section("NAME", escaped(page) + " \\- " + line(firstSentence(command.description())) + "\n"),
                        section("SYNOPSIS", ".nf\n" + lines(command.synopsis().lines()) + ".fi\n"),
                        section("DESCRIPTION", line(command.description()) + "\n"),
                        section("COMMANDS", tagged(below.stream().map(ManualPages::listed))),
                        section("ARGUMENTS", tagged(command.parameters().stream())),
                        section("OPTIONS", tagged(Stream.concat(command.options().stream(), COMMON.stream()))),
                        section("EXAMPLES", examples(command.footer())),
                        section("EXIT STATUS", tagged(EXITS.stream())),
                        section("SEE ALSO", seeAlso(below)))
                .collect(Collectors.joining());
    }

    private static String section(String title, String content) {
        return content.isEmpty() ? "" : ".SH " + title + "\n" + content;
    }

    private static Argument listed(CommandText command) {
        return new Argument(command.name(), "", firstSentence(command.description()));
    }

    private static String tagged(Stream<Argument> arguments) {
        return arguments
                .map(one -> ".TP\n" + tag(one) + "\n" + line(one.meaning()) + "\n")
                .collect(Collectors.joining());
    }

    private static String tag(Argument argument) {
        String names = argument.names().isEmpty() ? "" : "\\fB" + escaped(argument.names()) + "\\fR";
        String value = argument.value().isEmpty() ? "" : "\\fI" + escaped(argument.value()) + "\\fR";
        return (names + " " + value).strip();
    }

    private static String examples(List<String> footer) {
        Stream<String> shown = footer.stream().filter(line -> !line.matches("(Examples?|Typical use):"));
        return footer.isEmpty() ? "" : ".nf\n" + lines(shown.map(String::stripTrailing)) + ".fi\n";
    }

    private static String seeAlso(List<CommandText> below) {
        Stream<String> pages =
                below.isEmpty() ? Stream.of("gramian") : below.stream().map(ManualPages::page);
        return pages.map(page -> "\\fB" + escaped(page) + "\\fR(1)").collect(Collectors.joining(",\n")) + "\n";
    }

    private static String firstSentence(String description) {
        return description.split("(?<=\\.)\\s", 2)[0].replaceAll("\\.$", "");
    }

    private static String lines(Stream<String> lines) {
        return lines.map(line -> line(line) + "\n").collect(Collectors.joining());
    }

    /** A line of text that is not taken for a request, which begins with a dot or an apostrophe. */
    private static String line(String content) {
        String text = escaped(content);
        return text.startsWith(".") || text.startsWith("'") ? "\\&" + text : text;
    }

    /** Characters as they are: a minus that can be copied into a shell, and all beyond ASCII by their numbers. */
    private static String escaped(String content) {
        StringBuilder text = new StringBuilder();
        content.codePoints().forEach(c -> {
            switch (c) {
                case '\\' -> text.append("\\e");
                case '-' -> text.append("\\-");
                case '\'' -> text.append("\\(aq");
                case '`' -> text.append("\\(ga");
                case '"' -> text.append("\\(dq");
                case '^' -> text.append("\\(ha");
                case '~' -> text.append("\\(ti");
                default -> {
                    if (c < 128) {
                        text.append((char) c);
                    } else {
                        text.append(String.format(Locale.ROOT, "\\[u%04X]", c));
                    }
                }
            }
        });
        return text.toString();
    }
}
