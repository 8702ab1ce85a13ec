package io.github.gramian.cli;

import io.github.gramian.cli.CommandText.Argument;
import io.github.gramian.cli.common.PrintingCommand;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

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
        List<Argument> arguments = Stream.concat(command.parameters().stream(), command.options().stream())
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
}
