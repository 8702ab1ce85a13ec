package io.github.gramian.cli;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ScopeType;

/** The help of a command as plain text, for the page of commands and for manual pages. */
record CommandText(CommandLine command) {

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
        return String.join("\n", spec().usageMessage().footer()).strip().lines().toList();
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
