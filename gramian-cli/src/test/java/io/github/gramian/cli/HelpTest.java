package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.Needs;
import io.github.gramian.check.Tool;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class HelpTest {

    @TempDir
    private Path folder;

    @TestFactory
    Stream<DynamicTest> the_help_of_each_command_shows_an_example_of_it() {
        List<CommandLine> leaves = new ArrayList<>();
        collect(Gramian.commandLine(), leaves);
        return leaves.stream().map(command -> {
            String name = command.getCommandSpec().qualifiedName();
            return DynamicTest.dynamicTest(
                    name,
                    () -> assertThat(command.getUsageMessage(CommandLine.Help.Ansi.OFF))
                            .contains("Example", name + " "));
        });
    }

    @TestFactory
    Stream<DynamicTest> summaries_fit_on_a_line_and_options_are_phrases_with_their_defaults() {
        return HelpRules.tests();
    }

    private static void collect(CommandLine command, List<CommandLine> leaves) {
        if (command.getSubcommands().isEmpty()) {
            leaves.add(command);
        }
        command.getSubcommands().values().forEach(below -> collect(below, leaves));
    }

    @Test
    void commands_below_a_command_have_an_order() {
        Gramian.commandLine()
                .getSubcommands()
                .values()
                .forEach(command -> assertThat(
                                List.copyOf(command.getSubcommands().keySet()))
                        .isSorted());
    }

    @Test
    void the_main_help_shows_typical_use() {
        assertThat(gramian("--help").succeeded().out())
                .contains("gramian train --images photos/", "gramian predict runs/first");
    }

    @Test
    void completion_is_a_script_that_knows_commands_and_options() {
        String script = gramian("completion").succeeded().out();
        assertThat(script).startsWith("#!/usr/bin/env bash").contains("evaluate", "--checkpoint-seconds");
    }

    @Test
    @Needs(Tool.BASH)
    void bash_accepts_the_completion_script() throws Exception {
        Path file = Files.writeString(
                folder.resolve("gramian.sh"), gramian("completion").succeeded().out());
        Process bash =
                new ProcessBuilder("bash", "-n", file.toString()).inheritIO().start();
        assertThat(bash.waitFor()).isZero();
    }

    @Test
    void the_reference_has_every_command_with_its_options_and_no_placeholder() {
        List<CommandLine> leaves = new ArrayList<>();
        collect(Gramian.commandLine(), leaves);
        String page = gramian("reference").succeeded().out();
        leaves.stream()
                .filter(command -> !command.getCommandSpec().usageMessage().hidden())
                .forEach(command -> assertThat(page)
                        .contains("## " + command.getCommandSpec().qualifiedName() + "\n"));
        assertThat(page).contains("| `--checkpoint-seconds").doesNotContain("${", "## gramian reference");
    }

    @Test
    void a_recipe_is_shown_complete_and_checked() throws Exception {
        String defaults = gramian("recipe", "show").succeeded().out();
        assertThat(defaults).contains("stage1:", "logitScale: ", "seed: 1");
        String changed = gramian("recipe", "show", "--set", "seed=7", "--set", "stage1.epochs=3")
                .succeeded()
                .out();
        assertThat(changed).contains("seed: 7").isNotEqualTo(defaults);
        Path file = Files.writeString(folder.resolve("recipe.yaml"), changed);
        assertThat(gramian("recipe", "show", file).succeeded().out()).isEqualTo(changed);
        assertThat(gramian("recipe", "check", file).succeeded().out())
                .isEqualTo(file + ": fine" + System.lineSeparator());
        assertThat(gramian("recipe").err()).contains("missing subcommand; available: show, check");
        assertThat(gramian("model").err()).contains("missing subcommand; available: show");
    }
}
