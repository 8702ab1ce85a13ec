package io.github.gramian.cli.draw;

import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.internal.ImageTrace;
import io.github.gramian.run.internal.RunFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian draw}: the way of one image through a model. */
@Command(
        name = "draw",
        description = {
            "Draws how a model processes an image, as SVG.",
            "Shows the feature maps, their kernel matrix ordered by similarity,",
            "the transformed matrix, and the most probable classes. One SVG file, for light and dark pages.",
            "With --where, draws which parts of the image raised the score of a class."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  gramian draw runs/first photo.jpg --out photo.svg",
            "  gramian draw runs/first photo.jpg --where --out where.png",
            "  gramian draw runs/first photos/ --where --class linen --out where.html"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class DrawCommand extends PrintingCommand {

    @Parameters(index = "0", paramLabel = "MODEL", description = "A model.gramian, or its run directory.")
    private Path model;

    @Parameters(
            index = "1",
            paramLabel = "IMAGE",
            description = "Image file to draw. With --where also a directory, whose images are drawn on one page.")
    private Path image;

    @Option(
            names = "--where",
            description = "Draw where the model looked: the contribution of each part of the image to the score.")
    private boolean where;

    @Option(
            names = "--class",
            paramLabel = "NAME",
            description = "Class whose score is explained, with --where (default: the predicted class).")
    private @Nullable String className;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            required = true,
            description = "SVG file to write. With --where, the extension selects SVG, PNG or HTML.")
    private Path out;

    @Override
    public Integer call() throws IOException {
        Path file = Files.isDirectory(model) ? new RunFolder(model).model() : model;
        PrintWriter terminal = stdout();
        if (where) {
            new WhereDrawing(file, image, className, out).write(terminal::println);
            terminal.println("drawing: " + out);
            terminal.flush();
            return 0;
        }
        if (className != null) {
            throw new IllegalArgumentException("--class needs --where, which draws the map of a class; add --where");
        }
        Decoded decoded = ImageDecoder.forLocalFiles().decode(image, Reduction.NONE);
        if (decoded instanceof Decoded.Rejected rejected) {
            throw new ModelException(image + ": " + rejected.sentence());
        }
        ImageTrace trace = ImageTrace.of(file, ((Decoded.Picture) decoded).image(), TraceDrawing.MAPS);
        AtomicFile.writeText(out, new TraceDrawing(trace).svg());
        terminal.println("drawing: " + out);
        terminal.flush();
        return 0;
    }
}
