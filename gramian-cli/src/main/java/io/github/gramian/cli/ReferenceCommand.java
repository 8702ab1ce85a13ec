package io.github.gramian.cli;

import io.github.gramian.cli.common.PrintingCommand;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ScopeType;

/** {@code gramian reference}: all commands with their options as a page of Markdown. */
@Command(
        name = "reference",
        description = "Prints all commands and options as Markdown.",
        hidden = true,
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  gramian reference > docs/commands.md"})
final class ReferenceCommand extends PrintingCommand {

    private static final String HEAD = """
            <!-- Made by `gramian reference > docs/commands.md`; change the commands, not this page. -->
            # Commands, option by option

            The output of `gramian COMMAND --help` for all commands, on one page. [The command line](cli.md) has exit codes, files and background. Every command also takes `--help`, `--version` and
            `--debug`, which adds the trace to an error.
            """;

    @Override
    public Integer call() {
        CommandText program = new CommandText(spec().root().commandLine());
        PrintWriter out = stdout();
        out.print(HEAD);
        program.subcommands().forEach(command -> write(command, out));
        out.flush();
        return 0;
    }

    private static void write(CommandText command, PrintWriter out) {
        if (command.subcommands().isEmpty()) {
            out.print("\n## " + command.name() + "\n\n");
            out.print(text(command.description()) + "\n\n");
            out.print("```\n" + command.synopsis() + "\n```\n\n");
            arguments(command, out);
            out.print("```\n" + String.join("\n", command.footer()) + "\n```\n");
        }
        command.subcommands().forEach(below -> write(below, out));
    }

    private static void arguments(CommandText command, PrintWriter out) {
        List<CommandText.Argument> arguments = Stream.concat(command.parameters().stream(), command.options().stream())
                .toList();
        if (arguments.isEmpty()) {
            return;
        }
        out.print("| argument | meaning |\n|---|---|\n");
        arguments.forEach(one -> out.print("| " + code(one.usage()) + " | " + text(one.meaning()) + " |\n"));
        out.print("\n");
    }

    /** In a cell of a table. */
    private static String code(String content) {
        return "`" + content.replace("|", "\\|") + "`";
    }

    private static String text(String content) {
        return content.replace("|", "\\|").replace("<", "&lt;");
    }

    /** The help of a command as plain text, for the page of commands and for manual pages. */
    private record CommandText(CommandLine command) {

        /**
         * A parameter or an option.
         *
         * @param names the option's, or none
         * @param value the label of what it takes, or none
         * @param meaning in a sentence
         */
        record Argument(String names, String value, String meaning) {

            String usage() {
                return (names + " " + value).strip();
            }
        }

        private CommandSpec spec() {
            return command.getCommandSpec();
        }

        /** With the commands above it: {@code gramian model show}. */
        String name() {
            return spec().qualifiedName();
        }

        String description() {
            return text(String.join(" ", spec().usageMessage().description()));
        }

        String synopsis() {
            Help help = command.getHelpFactory().create(spec(), Help.defaultColorScheme(Ansi.OFF));
            return help.synopsis(0).strip();
        }

        /** Examples, as lines. */
        List<String> footer() {
            return String.join("\n", spec().usageMessage().footer())
                    .strip()
                    .lines()
                    .toList();
        }

        /** Those below it that are shown, in the order of its help. */
        List<CommandText> subcommands() {
            return command.getSubcommands().values().stream()
                    .map(CommandText::new)
                    .filter(below -> !below.spec().usageMessage().hidden())
                    .toList();
        }

        List<Argument> parameters() {
            return spec().positionalParameters().stream()
                    .map((PositionalParamSpec one) -> new Argument("", one.paramLabel(), meaning(one)))
                    .toList();
        }

        /** Its own: not those that all commands have. */
        List<Argument> options() {
            return spec().options().stream()
                    .filter(option -> !option.hidden() && !option.usageHelp() && !option.versionHelp())
                    .filter(option -> option.scopeType() == ScopeType.LOCAL)
                    .map(CommandText::argument)
                    .toList();
        }

        private static Argument argument(OptionSpec option) {
            return new Argument(
                    option.negatable() ? option.longestName() : String.join(", ", option.names()),
                    option.arity().max() == 0 ? "" : option.paramLabel(),
                    meaning(option));
        }

        private static String meaning(ArgSpec argument) {
            String description = String.join(" ", argument.description());
            return text(description
                    .replace("${DEFAULT-VALUE}", String.valueOf(argument.defaultValueString()))
                    .replace("${COMPLETION-CANDIDATES}", candidates(argument)));
        }

        private static String candidates(ArgSpec argument) {
            Iterable<String> values = argument.completionCandidates();
            return values == null
                    ? ""
                    : StreamSupport.stream(values.spliterator(), false).collect(Collectors.joining(", "));
        }

        /** Without picocli's marks for formats. */
        private static String text(String description) {
            return description.replace("%%", "%").replace("%n", " ");
        }
    }
}
