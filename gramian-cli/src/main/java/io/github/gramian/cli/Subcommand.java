package io.github.gramian.cli;

/**
 * A command of {@code gramian} from another module: a class with picocli's {@code @Command}, named in {@code
 * META-INF/services/io.github.gramian.cli.Subcommand}. The command line works without it.
 */
public interface Subcommand {}
