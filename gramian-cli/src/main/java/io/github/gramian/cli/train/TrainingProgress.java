package io.github.gramian.cli.train;

import io.github.gramian.cli.common.Progress;
import io.github.gramian.io.internal.Text;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** Progress of a training: a bar on a terminal, a line per epoch elsewhere. */
public final class TrainingProgress implements TrainingListener, AutoCloseable {

    private final PrintWriter out;
    private final boolean quiet;
    private @Nullable Progress bar;
    private String task = "";
    private long total;
    private long shown;

    public TrainingProgress(PrintWriter out, boolean quiet) {
        this.out = out;
        this.quiet = quiet;
    }

    @Override
    public void onEvent(TrainingEvent event) {
        if (event instanceof TrainingEvent.Features features) {
            show("features", "images", features.total(), features.done(), "");
        } else if (event instanceof TrainingEvent.Step step) {
            show(
                    stage(step.stage(), step.all()) + ", epoch " + step.epoch() + "/" + step.epochs(),
                    "batches",
                    step.batches(),
                    step.batch(),
                    Text.format(
                            "loss %.3f, accuracy %.1f %%, %.0f images/s, %s left",
                            step.loss(),
                            100 * step.accuracy(),
                            step.imagesPerSecond(),
                            Text.duration(step.secondsLeft())));
        } else if (event instanceof TrainingEvent.Epoch epoch) {
            line(epochLine(epoch));
            epoch.health().warnings().forEach(warning -> line("  warning: " + warning));
        } else if (event instanceof TrainingEvent.Ridge ridge) {
            line(Text.format(
                    "classifier in closed form: λ %.2g, held-out accuracy %.2f %%%s%s",
                    ridge.lambda(),
                    100 * ridge.heldOutAccuracy(),
                    ridge.validationAccuracy() == null
                            ? ""
                            : Text.format(", validation %.2f %%", 100 * ridge.validationAccuracy()),
                    ridge.kept() ? "" : "; not used, since the trained one is better"));
        } else if (event instanceof TrainingEvent.FineTuning found) {
            line(found.sentence());
        } else if (event instanceof TrainingEvent.Note note) {
            line(note.text());
        }
    }

    private static String stage(int number, boolean all) {
        return "stage " + number + (all ? " on all images" : "");
    }

    private static String epochLine(TrainingEvent.Epoch epoch) {
        StringBuilder text = new StringBuilder(stage(epoch.stage(), epoch.all()) + ", epoch " + epoch.epoch());
        if (epoch.trainLoss() != null && epoch.trainAccuracy() != null) {
            text.append(Text.format(": loss %.4f, accuracy %.2f %%", epoch.trainLoss(), 100 * epoch.trainAccuracy()));
        }
        if (epoch.validationLoss() != null && epoch.validationAccuracy() != null) {
            text.append(Text.format(
                    "; validation loss %.4f, accuracy %.2f %%%s",
                    epoch.validationLoss(), 100 * epoch.validationAccuracy(), epoch.best() ? ", best so far" : ""));
        }
        if (epoch.imagesPerSecond() > 0) {
            text.append(Text.format(" (%.0f images/s)", epoch.imagesPerSecond()));
        }
        return text.toString();
    }

    private void show(String what, String unit, long all, long done, String details) {
        if (quiet) {
            return;
        }
        boolean restarted = done < shown; // as many images at another size
        if (bar == null || restarted || !task.equals(what) || total != all) {
            endBar();
            task = what;
            total = all;
            bar = new Progress(what, unit, all, out, false);
        }
        shown = done;
        bar.done(done, details);
    }

    private void line(String text) {
        if (!quiet) {
            endBar();
            out.println(text);
            out.flush();
        }
    }

    private void endBar() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }

    @Override
    public void close() {
        endBar();
    }
}
