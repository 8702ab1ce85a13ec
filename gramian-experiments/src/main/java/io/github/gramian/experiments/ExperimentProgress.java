package io.github.gramian.experiments;

import io.github.gramian.experiments.grid.ExperimentEvent;
import io.github.gramian.experiments.grid.ExperimentListener;
import io.github.gramian.io.internal.Text;
import java.io.PrintWriter;
import java.util.Locale;

/** A line when a run of a grid starts and one when it ends. */
final class ExperimentProgress implements ExperimentListener {

    private final String title;
    private final PrintWriter out;
    private final boolean quiet;

    ExperimentProgress(String title, PrintWriter out, boolean quiet) {
        this.title = title;
        this.out = out;
        this.quiet = quiet;
    }

    @Override
    public void onEvent(ExperimentEvent event) {
        if (event instanceof ExperimentEvent.Planned planned) {
            line(title + ": " + planned.toDo() + (planned.toDo() == 1 ? " run to do, " : " runs to do, ")
                    + planned.done() + " done before");
        } else if (event instanceof ExperimentEvent.Started started) {
            String left = started.secondsLeft().isPresent()
                    ? ", " + Text.duration(started.secondsLeft().getAsDouble()) + " left"
                    : "";
            line("run " + started.number() + " of " + started.toDo() + left + ": "
                    + started.run().place());
        } else if (event instanceof ExperimentEvent.Finished finished) {
            Double validation = finished.result().measured().validationAccuracy();
            line(String.format(
                    Locale.ROOT,
                    "  test %.2f %%%s, %d dimensions, %s",
                    100 * finished.result().accuracy(),
                    validation == null ? "" : String.format(Locale.ROOT, ", validation %.2f %%", 100 * validation),
                    finished.result().footprint().descriptorLength(),
                    Text.duration(finished.result().totalSeconds())));
        } else if (event instanceof ExperimentEvent.Skipped skipped) {
            line("run " + skipped.number() + " of " + skipped.toDo() + ": "
                    + skipped.run().place() + " was done meanwhile");
        } else if (event instanceof ExperimentEvent.Corrupted corrupted) {
            line("corruption " + corrupted.number() + " of " + corrupted.all() + " on " + corrupted.dataset() + ": "
                    + corrupted.corruption() + ", " + corrupted.images() + " images");
        } else if (event instanceof ExperimentEvent.Failed failed) {
            line("  failed: " + failed.message());
        }
    }

    private void line(String text) {
        if (!quiet) {
            out.println(text);
            out.flush();
        }
    }
}
