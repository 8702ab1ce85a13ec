package io.github.gramian.studio;

import io.github.gramian.cli.Subcommand;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.TrustOption;
import io.github.gramian.cli.train.RecipeSettings;
import io.github.gramian.natives.internal.UserCache;
import io.github.gramian.studio.http.internal.StudioServer;
import io.github.gramian.studio.project.internal.StudioSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian studio}: labels photographs in the browser, and trains on them. */
@Command(
        name = "studio",
        description = {
            "Labels photographs in the browser and trains on them.",
            "Prints the address of a page that only this machine can open. Suggests labels, finds wrong ones, and"
                    + " shows the accuracy after every label.",
            "Every label is on the disk before the page shows it. Photographs are never moved or changed."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian studio photos/ --backbone resnet50.safetensors",
            "  gramian train --images photos/labels.csv --backbone resnet50.safetensors --out runs/first"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class StudioCommand extends PrintingCommand implements Subcommand {

    @Parameters(paramLabel = "PHOTOS", description = "Directory of the photographs, with or without subdirectories.")
    private Path photographs;

    @Option(
            names = "--backbone",
            required = true,
            description = "Weights file from 'gramian weights import', or a TorchScript file.")
    private String backbone;

    @Mixin
    private TrustOption trust;

    @Option(names = "--port", description = "Port to listen on; 0 for any free port (default: 0).")
    private int port;

    @Option(
            names = "--labels",
            paramLabel = "FILE",
            description = "Labels file, created if it does not exist (default: labels.csv in PHOTOS).")
    private @Nullable Path labels;

    @Option(
            names = "--groups",
            paramLabel = "REGEX",
            description =
                    "Regular expression whose first capture group, matched against a photograph's path, names the object"
                            + " that it shows. One photograph per object is suggested first, and no object is divided"
                            + " between training and test.")
    private @Nullable String groups;

    @Option(names = "--by", paramLabel = "NAME", description = "Name to store with each label (default: user name).")
    private String by = System.getProperty("user.name", "studio");

    @Option(
            names = "--out",
            description = "Directory for runs and predictions (default: PHOTOS-studio, next to PHOTOS).")
    private @Nullable Path out;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Setting of the recipe to override; 'gramian recipe show' lists the keys.")
    private List<String> settings = new ArrayList<>();

    @Option(
            names = "--cache",
            description = "Directory for features and thumbnails (default: Gramian's directory in the user's cache"
                    + " directory).")
    private @Nullable Path cache;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path folder = photographs.toAbsolutePath().normalize();
        if (!Files.isDirectory(folder)) {
            throw new IllegalArgumentException(photographs + " is not a directory");
        }
        StudioSettings studio = new StudioSettings(
                folder,
                labels == null ? folder.resolve("labels.csv") : labels,
                by,
                new RecipeSettings()
                        .with("backbone.weights", backbone)
                        .with("backbone.trustCode", trust.setting())
                        .with("data.groups", groups)
                        .then(settings),
                cache(),
                out == null ? folder.resolveSibling(folder.getFileName() + "-studio") : out);
        StudioServer server = StudioServer.start(studio, port);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(server), "studio-end"));
        stdout().println("open " + server.address());
        stdout().println("labels: " + studio.labels());
        stdout().println("stop with Ctrl-C");
        stdout().flush();
        Thread.currentThread().join();
        return 0;
    }

    /** A requested end is not a failure, and only a halt at the end of the JVM's shutdown makes its exit code 0. */
    private static void end(StudioServer server) {
        int code = 0;
        try {
            server.close();
        } catch (IOException | RuntimeException failure) {
            code = 1;
        }
        Runtime.getRuntime().halt(code);
    }

    private Path cache() throws IOException {
        if (cache != null) {
            return cache;
        }
        return UserCache.current()
                .gramian()
                .orElseThrow(() -> new IOException("the cache directory is unknown; give --cache"));
    }
}
