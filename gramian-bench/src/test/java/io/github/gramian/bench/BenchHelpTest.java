package io.github.gramian.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.cli.CommandRun;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import picocli.CommandLine;

class BenchHelpTest {

    @TestFactory
    Stream<DynamicTest> the_help_of_each_command_shows_an_example_of_it() {
        return new CommandLine(new BenchCommand())
                .getSubcommands().values().stream().map(command -> {
                    String name = command.getCommandSpec().qualifiedName();
                    return DynamicTest.dynamicTest(
                            name,
                            () -> assertThat(command.getUsageMessage(CommandLine.Help.Ansi.OFF))
                                    .contains("Example", "gramian " + name + " "));
                });
    }

    @Test
    void the_command_line_finds_it() {
        assertThat(CommandRun.gramian("--help").succeeded().out()).contains("  bench ");
        assertThat(CommandRun.gramian("bench", "--help").succeeded().out()).contains("gramian bench");
    }
}
