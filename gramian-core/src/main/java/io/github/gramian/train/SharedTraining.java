package io.github.gramian.train;

import io.github.gramian.parallel.PeerLostException;
import io.github.gramian.parallel.Peers;
import io.github.gramian.parallel.World;
import io.github.gramian.tensor.Sha256;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What a training by several processes has beside that of one: agreement before it, and an account of the time they waited. */
final class SharedTraining {

    private final Peers peers;
    private final TrainingListener listener;
    private double seconds;
    private double waited;

    SharedTraining(Peers peers, TrainingListener listener) {
        this.peers = peers;
        this.listener = listener;
    }

    /** Refuses what cannot be shared before anybody waits for anybody. */
    static void requireSharing(Recipe recipe, World world) {
        requireSharing(recipe.stage1(), "stage1", world);
        requireSharing(recipe.stage2(), "stage2", world);
    }

    private static void requireSharing(StageConfig config, String name, World world) {
        if (config.epochs() == 0 || world.isAlone()) {
            return;
        }
        if (world.size() > config.batch()) {
            throw new IllegalArgumentException(world.size() + " processes cannot share batches of " + config.batch()
                    + " images; start at most " + config.batch() + " processes, or raise " + name + ".batch");
        }
        if (config.mixup() > 0) {
            throw new IllegalArgumentException(
                    "mixup pairs images of the whole batch, which no single process has; set " + name
                            + ".mixup=0, or train in one process");
        }
    }

    /** Paths may differ from machine to machine; what they lead to may not. */
    void requireTheSame(Recipe recipe, String dataHash, String weightsHash) {
        if (peers.world().isAlone()) {
            return;
        }
        requireTheSame("recipe", RecipeFile.text(recipe.on("", "")));
        requireTheSame("images", dataHash);
        requireTheSame("backbone weights", weightsHash);
    }

    private void requireTheSame(String what, String text) {
        long digits = Long.parseLong(Sha256.of(text).substring(0, 12), 16);
        peers.firstUnlike((double) digits)
                .ifPresent(
                        rank -> { // 48 bits, which a double holds
                            throw new IllegalArgumentException("process " + rank + " has another " + what
                                    + " than process 0; give all processes the same recipe, images and weights");
                        });
    }

    /** What the first process makes by itself, and then every other; nobody waits too long for anybody. */
    TrainingData inTurn(Peers.Task<TrainingData> first, Peers.Task<TrainingData> others) throws IOException {
        boolean leads = peers.world().leads();
        Optional<TrainingData> own = peers.inItsTime(() -> leads ? Optional.of(first.run()) : Optional.empty());
        try {
            return peers.inItsTime(() -> own.isPresent() ? own.get() : others.run());
        } catch (PeerLostException alone) {
            if (own.isPresent()) {
                own.get().close();
            }
            throw alone;
        }
    }

    /** Runs a stage, and tells what of its time went into waiting for other processes. */
    void descend(Trainer trainer, int stage) throws IOException {
        long start = System.nanoTime();
        double waitedBefore = peers.secondsWaited();
        trainer.run();
        double took = (System.nanoTime() - start) / 1e9;
        double waitedNow = peers.secondsWaited() - waitedBefore;
        seconds += took;
        waited += waitedNow;
        if (peers.world().leads() && !peers.world().isAlone()) {
            listener.hear(new TrainingEvent.Note(String.format(
                    Locale.ROOT,
                    "stage %d, %d processes: %.1f s, %.1f %% of them spent on waiting for each other",
                    stage,
                    peers.world().size(),
                    took,
                    100 * waitedNow / took)));
        }
    }

    /** What stands beside the scores: how many processes there were, and what they waited. */
    void note(RunConclusion conclusion) {
        if (!peers.world().isAlone()) {
            Map<String, Object> account = new LinkedHashMap<>();
            account.put("count", peers.world().size());
            account.put("secondsTraining", seconds);
            account.put("secondsWaiting", waited);
            account.put("waitingShare", seconds == 0 ? 0 : waited / seconds);
            conclusion.note("processes", account);
        }
    }
}
