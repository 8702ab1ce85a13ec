package io.github.gramian.bench;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.cli.common.Launcher;
import io.github.gramian.cli.model.ModelArgument;
import io.github.gramian.io.internal.TemporaryFolder;
import io.github.gramian.recipe.internal.SyntheticModel;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.StartupTrace;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** From a cold JVM to the first prediction. */
@Command(
        name = "start",
        description = {
            "Measures the start of 'gramian predict' on one image.",
            "Starts it in separate processes, in turn with the",
            "class archive of 'gramian doctor --prepare' and without, and splits the time into parts."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  gramian bench start",
            "  gramian bench start runs/first photo.jpg --rounds 9 --json"
        })
final class BenchStartCommand implements Callable<Integer> {

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "MODEL",
            description = "A model, or its run directory (default: a ResNet-50 with random weights).")
    private @Nullable Path model;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "IMAGE",
            description = "Image to predict (default: a synthetic one).")
    private @Nullable Path image;

    @Mixin
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Measurement measurement;

    @Override
    public Integer call() throws IOException {
        try (TemporaryFolder folder = TemporaryFolder.create()) {
            Map<String, ColdStart.Summary> result =
                    measured(new ColdStart(Launcher.own(), model(folder), image(folder)));
            measurement.report(result, out -> print(out, result));
        }
        return 0;
    }

    private Path model(TemporaryFolder folder) throws IOException {
        if (model != null) {
            return ModelArgument.file(model);
        }
        Path made = folder.path().resolve("model.gramian");
        new SyntheticModel(Architecture.RESNET50, List.of("one", "other"), new Seed(1)).write(made);
        return made;
    }

    private Path image(TemporaryFolder folder) throws IOException {
        return image != null ? image : SyntheticPhoto.write(folder.path().resolve("photo.jpg"), new Random(1));
    }

    private Map<String, ColdStart.Summary> measured(ColdStart cold) throws IOException {
        int rounds = measurement.rounds();
        boolean archived = cold.hasArchive();
        List<ColdStart.Start> with = new ArrayList<>();
        List<ColdStart.Start> without = new ArrayList<>();
        cold.once(archived); // what the system reads from disk for the first time is not ours to measure
        for (int round = 0; round < rounds; round++) {
            if (archived) {
                with.add(cold.once(true));
            }
            without.add(cold.once(false));
        }
        Map<String, ColdStart.Summary> result = new LinkedHashMap<>();
        if (archived) {
            result.put("archive", ColdStart.Summary.of(with));
        }
        result.put("noArchive", ColdStart.Summary.of(without));
        return result;
    }

    private void print(PrintWriter out, Map<String, ColdStart.Summary> result) {
        out.println(format("gramian predict on one image from a cold JVM; medians of %d rounds", measurement.rounds()));
        result.forEach((name, summary) -> {
            out.println();
            out.println(format(
                    "%-42s %6.0f ms   (%.0f – %.0f)",
                    name.equals("archive") ? "with the class archive" : "without the class archive",
                    summary.median(),
                    summary.fastest(),
                    summary.slowest()));
            summary.parts().forEach((point, millis) -> row(out, label(point), millis, summary.median()));
            row(out, "end of the process", summary.end(), summary.median());
        });
        if (!result.containsKey("archive")) {
            out.println();
            out.println("no class archive was found; make one with: gramian doctor --prepare");
        }
    }

    private static void row(PrintWriter out, String name, double millis, double total) {
        out.println(format("  %-40s %6.0f ms   %3.0f %%", name, millis, 100 * millis / total));
    }

    private static String label(StartupTrace point) {
        return switch (point) {
            case MAIN -> "start script and JVM, to main";
            case COMMAND -> "command line parsed";
            case MODEL -> "model's description read and checked";
            case SUM -> "hash of the weights checked";
            case ENGINE -> "engine's libraries loaded meanwhile";
            case WEIGHTS -> "weights read and placed";
            case IMAGE -> "image decoded and normalised";
            case FORWARD -> "forward pass";
            case ANSWER -> "prediction printed";
        };
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
