package io.github.gramian.lab;

import io.github.gramian.cli.Subcommand;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.train.TrainingProgress;
import io.github.gramian.eval.internal.Spread;
import io.github.gramian.io.internal.Text;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Option;

/** What all measurements of quality have in common: the output as JSON or as a table, and means over draws. */
abstract class LabCommand extends PrintingCommand implements Subcommand {

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    /** A measurement that describes images with a frozen backbone. */
    @SuppressWarnings("NullAway.Init") // picocli sets the fields
    abstract static class OnFeatures extends LabCommand {

        @Option(names = "--cache", required = true, description = "Directory of the feature cache.")
        private Path cache;

        @Option(names = "--quiet", description = "Do not print progress.")
        private boolean quiet;

        final Path cache() {
            return cache;
        }

        final TrainingProgress progress() {
            return new TrainingProgress(stderr(), quiet || isJson());
        }
    }

    final boolean isJson() {
        return json;
    }

    /** Prints a result, as JSON or as a table for people. */
    final void report(Object result, Consumer<PrintWriter> table) {
        print(json, () -> result, table);
    }

    /** A line with the mean over draws and its standard deviation. */
    static <D> void line(PrintWriter out, String title, List<D> draws, ToDoubleFunction<D> of) {
        Spread spread = Spread.of(draws.stream().mapToDouble(of).boxed().toList());
        out.println(Text.format("%s %.3f ± %.3f", title, spread.mean(), spread.deviation()));
    }
}
