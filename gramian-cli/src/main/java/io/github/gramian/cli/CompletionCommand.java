package io.github.gramian.cli;

import io.github.gramian.cli.common.PrintingCommand;
import java.io.PrintWriter;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/** {@code gramian completion}: lets the shell complete commands and options. */
@Command(
        name = "completion",
        description = "Prints a completion script for bash and zsh.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  source <(gramian completion)",
            "  gramian completion > ~/.local/share/bash-completion/completions/gramian"
        })
final class CompletionCommand extends PrintingCommand {

    @Override
    public Integer call() {
        CommandSpec root = spec().root();
        PrintWriter out = stdout();
        out.print(AutoComplete.bash(root.name(), root.commandLine()));
        out.flush();
        return 0;
    }
}
