package io.github.gramian.spark;

import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.spark.shard.Packer;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "pack",
        description = "Packs image files into tar shards. If started again, it makes the missing shards.",
        mixinStandardHelpOptions = true)
final class PackCommand implements Callable<Integer> {

    @Parameters(index = "0", paramLabel = "IMAGES", description = "Folder with image files, at any depth.")
    private String images = "";

    @Parameters(index = "1", paramLabel = "SHARDS", description = "Folder for the shards.")
    private String shards = "";

    @Option(
            names = "--shard-images",
            defaultValue = "10000",
            description = "Number of images per shard (default: 10000).")
    private int shardImages;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        Packer.Settings settings = new Packer.Settings(images, shards, shardImages, ImageLimits.DEFAULT.maxBytes());
        PrintWriter out = spec.commandLine().getOut();
        try (SparkSession spark = Main.session("gramian pack " + images, Main.MANY_FAILURES)) {
            Packer.Summary packed = Packer.run(spark, settings);
            packed.leftOut().forEach(file -> out.println("left out: " + file.name() + ": " + file.reason()));
            out.println(packed.shards() + " shards in " + shards + ", "
                    + packed.leftOut().size() + " files left out");
            out.flush();
        }
        return 0;
    }
}
