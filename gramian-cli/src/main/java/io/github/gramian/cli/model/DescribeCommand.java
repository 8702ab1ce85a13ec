package io.github.gramian.cli.model;

import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.Progress;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.internal.BatchPredictor;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian describe}: the descriptors of images, for other programs. */
@Command(
        name = "describe",
        description = {
            "Writes the descriptors of images for other programs.",
            "The file has one row per image.",
            "X.npy is NumPy's format; X.f32 is plain little-endian float32 with its shape in X.json.",
            "X.files.jsonl names the file of each row, and the files that gave none.",
            "Exits with 1 if a file was not an image that can be read."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian describe runs/first photos/ --out photos.npy",
            "  find . -name '*.png' | gramian describe model.gramian - --out pngs.f32"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class DescribeCommand extends PrintingCommand {

    private static final int SOME_REJECTED = 1;

    @Mixin
    private ModelArgument model;

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "IMAGE", description = ImageArguments.DESCRIPTION)
    private List<String> images = new ArrayList<>();

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "File to write, .npy or .f32.")
    private Path out;

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Override
    public Integer call() throws IOException {
        DescriptorFile.Format format = DescriptorFile.Format.of(out);
        model.requireFirst("describe", images);
        DescriptorFile file;
        try (BatchPredictor predictor = model.load()) {
            LoaderSettings settings = LoaderSettings.defaults(model.batch());
            file = new DescriptorFile(out, format, predictor.descriptorLength());
            file.write(rows -> new ImageArguments(images, line -> note("note: " + line))
                    .each(files -> describe(predictor, settings, files, rows)));
        }
        PrintWriter text = stdout();
        text.println(out + ": " + Text.count(file.rows(), "descriptor") + " of " + file.length() + " dimensions; "
                + Text.count(file.rejected(), "file") + " rejected, see " + file.names());
        text.flush();
        return file.rejected() > 0 ? SOME_REJECTED : 0;
    }

    private void note(String line) {
        if (!quiet) {
            stderr().println(line);
        }
    }

    private void describe(
            BatchPredictor predictor, LoaderSettings settings, List<Path> files, DescriptorFile.Rows rows) {
        PrintWriter err = stderr();
        long[] done = {0};
        try (Progress progress = new Progress("describing", "images", files.size(), err, quiet)) {
            predictor.describe(files, settings, reading -> {
                rows.add(reading);
                progress.done(++done[0]);
            });
        }
    }
}
