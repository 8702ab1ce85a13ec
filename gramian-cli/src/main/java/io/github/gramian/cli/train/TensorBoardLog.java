package io.github.gramian.cli.train;

import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.TensorBoardFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Writes every epoch for TensorBoard; opens its file at the first, so that a run that never trains leaves none. */
final class TensorBoardLog implements TrainingListener, AutoCloseable {

    private final Path folder;
    private @Nullable TensorBoardFile file;

    TensorBoardLog(Path folder) {
        this.folder = folder;
    }

    @Override
    public void onEvent(TrainingEvent event) {
        if (event instanceof TrainingEvent.Epoch epoch) {
            try {
                write(epoch);
            } catch (IOException failure) {
                throw new UncheckedIOException(AtomicFile.named(failure, file == null ? folder : file.path()));
            }
        }
    }

    private void write(TrainingEvent.Epoch epoch) throws IOException {
        Instant now = Instant.now();
        if (file == null) {
            file = TensorBoardFile.open(folder, now);
        }
        String stage = "stage" + epoch.stage() + (epoch.all() ? "-all/" : "/");
        scalar(file, stage + "loss/train", epoch.step(), epoch.trainLoss(), now);
        scalar(file, stage + "loss/validation", epoch.step(), epoch.validationLoss(), now);
        scalar(file, stage + "accuracy/train", epoch.step(), epoch.trainAccuracy(), now);
        scalar(file, stage + "accuracy/validation", epoch.step(), epoch.validationAccuracy(), now);
        scalar(file, stage + "rate", epoch.step(), epoch.rate(), now);
        scalar(
                file,
                stage + "health/orthonormality",
                epoch.step(),
                epoch.health().orthonormality(),
                now);
        scalar(
                file,
                stage + "health/dead channels",
                epoch.step(),
                epoch.health().deadChannels(),
                now);
        file.flush();
    }

    private static void scalar(TensorBoardFile file, String tag, long step, @Nullable Double value, Instant now)
            throws IOException {
        if (value != null) {
            file.scalar(tag, step, value, now);
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            try {
                file.close();
            } catch (IOException failure) {
                throw AtomicFile.named(failure, file.path());
            }
        }
    }
}
