package io.github.gramian.spark;

import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.spark.training.BarrierTraining;
import io.github.gramian.spark.training.TrainSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "train",
        description =
                "Trains in several processes, each a task of the cluster. Images, weights and directories must have the"
                        + " same path on all machines. If started again with the same directory, it continues where it stopped.",
        mixinStandardHelpOptions = true)
final class TrainCommand implements Callable<Integer> {

    @Parameters(index = "0", paramLabel = "RECIPE", description = "Recipe in YAML; only the driver reads it.")
    private Path recipe = Path.of("");

    @Option(names = "--out", required = true, description = "Run directory; all machines must share it.")
    private Path out = Path.of("");

    @Option(names = "--cache", description = "Directory of the feature cache (default: 'features' next to the run).")
    private @Nullable Path cache;

    @Option(
            names = "--processes",
            defaultValue = "0",
            description =
                    "Number of processes that train together (default: one per task that the cluster runs at a time).")
    private int processes;

    @Option(names = "--threads", defaultValue = "1", description = "Number of engine threads per process (default: 1).")
    private int threads;

    @Option(
            names = "--restarts",
            defaultValue = "3",
            description = "Maximum number of restarts after processes are lost (default: 3).")
    private int restarts;

    @Option(
            names = "--checkpoint-seconds",
            defaultValue = "60",
            description = "Seconds between checkpoints within an epoch (default: 60).")
    private long checkpointSeconds;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "Setting of the recipe to change, such as seed=7.")
    private List<String> settings = new ArrayList<>();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        String text = RecipeFile.text(RecipeFile.read(recipe, settings));
        Path run = out.toAbsolutePath().normalize();
        PrintWriter print = spec.commandLine().getOut();
        try (SparkSession spark = Sessions.open("gramian train " + run)) {
            TrainSettings asked = new TrainSettings(
                    text,
                    run.toString(),
                    (cache == null
                                    ? RunFolder.cacheNextTo(run)
                                    : cache.toAbsolutePath().normalize())
                            .toString(),
                    processes == 0 ? spark.sparkContext().defaultParallelism() : processes,
                    threads,
                    restarts,
                    checkpointSeconds);
            String result = new BarrierTraining(spark, asked, line -> {
                        print.println(line);
                        print.flush();
                    })
                    .run();
            print.println("test: " + result);
            print.flush();
        }
        return 0;
    }
}
