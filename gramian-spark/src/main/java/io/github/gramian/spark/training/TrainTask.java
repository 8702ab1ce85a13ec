package io.github.gramian.spark.training;

import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.distributed.ProcessLostException;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.Run;
import io.github.gramian.spark.executor.EngineSettings;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.BarrierTaskContext;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/**
 * One process of a training. All tasks of the stage run this at once; the first leads, and runs the store where they meet.
 */
final class TrainTask extends AbstractFunction1<Iterator<Integer>, Iterator<TrainTask.Ending>> implements Serializable {

    private static final long serialVersionUID = 1;
    private static final String FAILED = "failed: ";
    private static final String LOST = "lost: ";

    private final TrainSettings settings;

    TrainTask(TrainSettings settings) {
        this.settings = settings;
    }

    /**
     * How a training ended for all.
     *
     * @param failed whether a process failed by itself, which a restart would not fix
     * @param text the result, or what was wrong
     */
    record Ending(boolean failed, String text) implements Serializable {}

    @Override
    public Iterator<Ending> apply(Iterator<Integer> ranks) {
        EngineSettings.apply();
        BarrierTaskContext context = BarrierTaskContext.get();
        String own = train(context);
        // A task that has lost another process waits here for the reason; if that process's JVM is gone, Spark ends the
        // stage meanwhile.
        List<String> all = Arrays.asList(context.allGather(own));
        return CollectionConverters.asScala(List.of(ending(all)).iterator());
    }

    private static Ending ending(List<String> all) {
        Optional<String> failed =
                all.stream().filter(one -> one.startsWith(FAILED)).findFirst();
        if (failed.isPresent()) {
            return new Ending(true, failed.get().substring(FAILED.length()));
        }
        all.stream().filter(one -> one.startsWith(LOST)).findFirst().ifPresent(lost -> {
            throw new IllegalStateException(lost);
        });
        return new Ending(false, all.get(0));
    }

    private String train(BarrierTaskContext context) {
        try {
            DistributedConfig distributed = meetingPlace(context);
            EngineSettings.computeOn(settings.threads());
            return trained(distributed);
        } catch (ProcessLostException e) {
            return LOST + e.getMessage();
        } catch (IOException | RuntimeException failure) {
            return FAILED + (failure.getMessage() == null ? failure.toString() : failure.getMessage());
        }
    }

    private DistributedConfig meetingPlace(BarrierTaskContext context) throws IOException {
        int rank = context.partitionId();
        String address = context.getTaskInfos()[0].address();
        String host = address.substring(0, address.lastIndexOf(':'));
        String port = context.allGather(rank == 0 ? String.valueOf(DistributedConfig.freePort()) : "")[0];
        return settings.processes() == 1
                ? DistributedConfig.singleProcess()
                : DistributedConfig.at(host + ":" + port, rank, settings.processes());
    }

    private String trained(DistributedConfig distributed) throws IOException {
        Recipe recipe = RecipeFile.parse(settings.recipe(), List.of());
        Path folder = Path.of(settings.folder());
        TrainingOptions options = TrainingOptions.defaults(Path.of(settings.cache()))
                .savingEvery(Duration.ofSeconds(settings.checkpointSeconds()))
                .among(distributed);
        if (!distributed.leads()) {
            Training.of(recipe).with(options).assist(folder);
            return "";
        }
        Run outcome = Training.of(recipe).with(options).into(folder);
        return outcome.scores().summary() + ", model " + outcome.model();
    }
}
