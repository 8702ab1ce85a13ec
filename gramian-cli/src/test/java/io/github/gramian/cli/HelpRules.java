package io.github.gramian.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** Rules for the help of all commands that a module's tests find, through {@code ServiceLoader} too. */
public final class HelpRules {

    /** Columns that remain of a line of 80 after the longest name of a command. */
    private static final int MAX_SUMMARY = 64;

    private static final Pattern FRAGMENT = Pattern.compile("^(Of|As|In|That|Its|Without|No|After|From)\\b.*");
    private static final Pattern BARE_NUMBER = Pattern.compile("\\([0-9][0-9.,e-]*\\)");

    private HelpRules() {}

    /** One test per command that is shown in help. */
    public static Stream<DynamicTest> tests() {
        List<CommandSpec> commands = new ArrayList<>();
        collect(Gramian.commandLine(), commands);
        return commands.stream().map(command -> DynamicTest.dynamicTest(command.qualifiedName(), () -> check(command)));
    }

    private static void collect(CommandLine line, List<CommandSpec> commands) {
        for (CommandLine below : line.getSubcommands().values()) {
            if (!below.getCommandSpec().usageMessage().hidden()) {
                commands.add(below.getCommandSpec());
                collect(below, commands);
            }
        }
    }

    private static void check(CommandSpec command) {
        assertThat(command.usageMessage().description()[0])
                .as("the summary of %s", command.qualifiedName())
                .endsWith(".")
                .hasSizeLessThanOrEqualTo(MAX_SUMMARY);
        for (String line : command.usageMessage().description()) {
            assertThatCode(() -> String.format(Locale.ROOT, line))
                    .as("a format in %s; write %%%% for a percent sign", command.qualifiedName())
                    .doesNotThrowAnyException();
        }
        command.args().stream()
                .filter(argument -> !argument.hidden())
                .forEach(argument -> check(command.qualifiedName(), argument));
    }

    private static void check(String command, ArgSpec argument) {
        String meaning = String.join(" ", argument.description());
        assertThat(meaning)
                .as("the meaning of %s in %s", argument, command)
                .endsWith(".")
                .contains(" ")
                .doesNotMatch(FRAGMENT)
                .doesNotContainPattern(BARE_NUMBER);
        if (argument.defaultValue() != null && !argument.typeInfo().isBoolean()) {
            assertThat(meaning)
                    .as("the default of %s in %s", argument, command)
                    .contains("(default: " + argument.defaultValueString());
        }
    }
}
