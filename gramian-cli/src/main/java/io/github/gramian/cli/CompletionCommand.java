package io.github.gramian.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

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
final class CompletionCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() {
        CommandSpec root = spec.root();
        PrintWriter out = spec.commandLine().getOut();
        out.print(AutoComplete.bash(root.name(), root.commandLine()));
        out.flush();
        return 0;
    }
}
