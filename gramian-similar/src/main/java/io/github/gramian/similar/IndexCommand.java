package io.github.gramian.similar;

import io.github.gramian.cli.Subcommand;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.Progress;
import io.github.gramian.cli.model.ModelArgument;
import io.github.gramian.similar.index.internal.IndexBuild;
import io.github.gramian.similar.index.internal.IndexModel;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian index}: makes photographs searchable by similarity. */
@Command(
        name = "index",
        description = {
            "Makes a directory of photographs searchable by similarity.",
            "The first run describes all photographs. Later runs describe only new and changed files, and remove"
                    + " deleted ones from the index.",
            "If a run is interrupted, the index remains usable, and the next run continues.",
            "Exits with 1 if a file was not an image that can be read."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian index photos/ --model runs/first --out photos.index",
            "  gramian similar photos.index photos/oak/17.jpg --top 20"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class IndexCommand extends PrintingCommand implements Subcommand {

    private static final int SOME_REJECTED = 1;

    @Parameters(index = "0", paramLabel = "PHOTOS", description = "Directory of photographs, searched recursively.")
    private Path photos;

    @Option(
            names = "--model",
            required = true,
            description = "A model.gramian, its run directory, or an ONNX file from 'gramian export'.")
    private Path model;

    @Option(names = "--out", required = true, paramLabel = "INDEX", description = "Directory of the index.")
    private Path out;

    @Option(
            names = "--dimensions",
            defaultValue = "256",
            description = "Number of dimensions of a vector in a new index, at most 1024 (default: ${DEFAULT-VALUE}).")
    private int dimensions;

    @Option(
            names = "--like",
            paramLabel = "INDEX",
            description = "Another index of the same model. A new index uses its principal components.")
    private @Nullable Path like;

    @Option(
            names = "--batch",
            defaultValue = "16",
            description = "Number of images per batch (default: ${DEFAULT-VALUE}).")
    private int batch;

    @Option(
            names = "--commit-every",
            paramLabel = "IMAGES",
            defaultValue = "2000",
            description = "Number of images after which the work so far is stored (default: ${DEFAULT-VALUE}).")
    private int commitEvery;

    @Option(names = "--rehash", description = "Compare the content of files even if their size and time are unchanged.")
    private boolean rehash;

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Override
    public Integer call() throws IOException {
        IndexBuild.Settings settings =
                new IndexBuild.Settings(dimensions, Optional.ofNullable(like), batch, commitEvery, rehash);
        IndexBuild.Result result;
        try (IndexModel.Loaded loaded = new IndexModel.Loaded(ModelArgument.file(model));
                IndexProgress progress = new IndexProgress(stderr(), quiet)) {
            result = new IndexBuild(photos, loaded, out, settings, progress).run();
        }
        PrintWriter text = stdout();
        text.println(out + ": " + Numbers.count(result.photographs(), "photograph") + " ("
                + Numbers.count(result.described()) + " described, " + Numbers.count(result.changed())
                + " of them changed; " + Numbers.count(result.reused()) + " with known content, "
                + Numbers.count(result.unchanged()) + " unchanged, " + Numbers.count(result.deleted()) + " deleted, "
                + Numbers.count(result.rejected()) + " rejected)");
        text.flush();
        return result.rejected() > 0 ? SOME_REJECTED : 0;
    }

    /** The progress of a build on a terminal. */
    private static final class IndexProgress implements IndexBuild.Listener, AutoCloseable {

        private final PrintWriter err;
        private final boolean quiet;
        private @Nullable Progress progress;

        IndexProgress(PrintWriter err, boolean quiet) {
            this.err = err;
            this.quiet = quiet;
        }

        @Override
        public void note(String sentence) {
            if (!quiet) {
                err.println("note: " + sentence);
                err.flush();
            }
        }

        @Override
        public void described(long images, long total) {
            if (progress == null) {
                progress = new Progress("describing", "images", total, err, quiet);
            }
            progress.done(images);
        }

        @Override
        public void close() {
            if (progress != null) {
                progress.close();
            }
        }
    }
}
