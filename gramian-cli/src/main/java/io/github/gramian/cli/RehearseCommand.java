package io.github.gramian.cli;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.recipe.internal.SyntheticModel;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * Runs the most common commands on synthetic images, so that a JVM that archives its classes at exit has loaded them. {@code
 * Preparation} starts it; users do not need it.
 */
@Command(
        name = "rehearse",
        hidden = true,
        description = "Runs the common commands once on synthetic images, for the class archive.",
        footer = {"", "Example:", "  gramian rehearse target/empty-directory"})
final class RehearseCommand implements Callable<Integer> {

    @Parameters(paramLabel = "DIRECTORY", description = "Empty directory for the output.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path folder;

    @Override
    public Integer call() throws IOException {
        Path photos = folder.resolve("photos");
        Path weights = folder.resolve("resnet18.safetensors");
        Path run = folder.resolve("run");
        Path model = folder.resolve("model.gramian");
        new SyntheticModel(Architecture.RESNET18, List.of("one", "other"), new Seed(1)).write(model);
        perform("data", "demo", "--out", photos, "--images", 4);
        perform("predict", model, photos.resolve("dots"), "--top", 2);
        perform("predict", model, photos.resolve("dots"), "--format", "jsonl");
        perform("predict", model, photos.resolve("dots"), "--format", "csv");
        perform("describe", model, photos.resolve("dots"), "--out", folder.resolve("descriptors.npy"));
        perform("model", "show", model);
        perform("weights", "random", "--as", "resnet18", "--out", weights);
        perform("train", "--images", photos, "--backbone", weights, "--out", run, "--set", "stage1.epochs=1");
        perform("evaluate", run, "--out", folder.resolve("scores"));
        return 0;
    }

    private static void perform(Object... words) throws IOException {
        String[] arguments = List.of(words).stream().map(Object::toString).toArray(String[]::new);
        PrintWriter discarded = new PrintWriter(Writer.nullWriter());
        CommandLine gramian = Gramian.commandLine(arguments).setOut(discarded).setErr(discarded);
        int code = gramian.execute(arguments);
        if (code != 0) {
            throw new IOException("the rehearsal of 'gramian " + String.join(" ", arguments) + "' ended with " + code
                    + "; try that command by itself");
        }
    }
}
