package io.github.gramian.train;

import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.distributed.ProcessLostException;
import io.github.gramian.distributed.internal.ProcessGroup;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.recipe.StageConfig;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.train.stage.internal.Stage;
import io.github.gramian.train.stage.internal.StageRunner;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What a distributed training adds to that of a single process: checks before it, and the time spent waiting. */
final class DistributedTraining {

    private final ProcessGroup group;
    private final TrainingListener listener;
    private double seconds;
    private double waited;

    DistributedTraining(ProcessGroup group, TrainingListener listener) {
        this.group = group;
        this.listener = listener;
    }

    /** Refuses a recipe that cannot be sharded before processes wait for each other. */
    static void requireSharing(Recipe recipe, DistributedConfig distributed) {
        requireSharing(recipe.stage1(), "stage1", distributed);
        requireSharing(recipe.stage2(), "stage2", distributed);
    }

    private static void requireSharing(StageConfig config, String name, DistributedConfig distributed) {
        if (!config.runs() || distributed.isSingleProcess()) {
            return;
        }
        if (distributed.size() > config.batches().batch()) {
            throw new IllegalArgumentException(distributed.size() + " processes cannot share batches of "
                    + config.batches().batch() + " images; start at most "
                    + config.batches().batch() + " processes, or raise " + name + ".batch");
        }
        if (config.regularisation().mixup() > 0) {
            throw new IllegalArgumentException(
                    "mixup pairs images of the whole batch, which no single process has; set " + name
                            + ".mixup=0, or train in one process");
        }
    }

    /** Paths may differ from machine to machine; their content may not. */
    void requireTheSame(Recipe recipe, String dataHash, String weightsHash) {
        if (group.distributed().isSingleProcess()) {
            return;
        }
        requireTheSame("recipe", RecipeFile.text(recipe.on("", "")));
        requireTheSame("images", dataHash);
        requireTheSame("backbone weights", weightsHash);
    }

    private void requireTheSame(String what, String text) {
        long digits = Long.parseLong(Sha256.of(text).substring(0, 12), 16);
        group.firstDifferent((double) digits)
                .ifPresent(
                        rank -> { // 48 bits, which a double holds
                            throw new IllegalArgumentException("process " + rank + " has another " + what
                                    + " than process 0; give all processes the same recipe, images and weights");
                        });
    }

    /** Runs a task in the first process, then in every other; heartbeats keep the others from timing out. */
    TrainingData inTurn(ProcessGroup.Task<TrainingData> first, ProcessGroup.Task<TrainingData> others)
            throws IOException {
        boolean leads = group.distributed().leads();
        Optional<TrainingData> own = group.independently(() -> leads ? Optional.of(first.run()) : Optional.empty());
        try {
            return group.independently(() -> own.isPresent() ? own.get() : others.run());
        } catch (ProcessLostException e) {
            if (own.isPresent()) {
                own.get().close();
            }
            throw e;
        }
    }

    /** Runs a stage, and reports how much of its time was spent waiting for other processes. */
    Stage.Epochs descend(StageRunner trainer, Stage stage) throws IOException {
        long start = System.nanoTime();
        double waitedBefore = group.secondsWaited();
        Stage.Epochs kept = trainer.run();
        double took = (System.nanoTime() - start) / 1e9;
        double waitedNow = group.secondsWaited() - waitedBefore;
        seconds += took;
        waited += waitedNow;
        if (group.distributed().leads() && !group.distributed().isSingleProcess()) {
            listener.onEvent(new TrainingEvent.Note(String.format(
                    Locale.ROOT,
                    "stage %d%s, %d processes: %.1f s, %.1f %% of them spent on waiting for each other",
                    stage.number(),
                    stage.onAll() ? " on all images" : "",
                    group.distributed().size(),
                    took,
                    100 * waitedNow / took)));
        }
        return kept;
    }

    /** Adds the number of processes and their waiting time to the scores. */
    void note(ModelExport export) {
        if (!group.distributed().isSingleProcess()) {
            Map<String, Object> account = new LinkedHashMap<>();
            account.put("count", group.distributed().size());
            account.put("secondsTraining", seconds);
            account.put("secondsWaiting", waited);
            account.put("waitingShare", seconds == 0 ? 0 : waited / seconds);
            export.note("processes", account);
        }
    }
}
