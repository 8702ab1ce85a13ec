package io.github.gramian.onnx;

import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.onnx.runtime.Int8Target;
import io.github.gramian.onnx.runtime.internal.GraphSession;
import io.github.gramian.onnx.runtime.internal.OnnxProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Writes a trained model as an ONNX file, from pixels to class probabilities and descriptor.
 *
 * <pre>{@code
 * ExportReport report = OnnxExport.of(run.model()).to(Path.of("model.onnx"));
 * System.out.println(report.parity().maxProbabilityDifference());
 * }</pre>
 *
 * <p>Before the file gets its name, the export runs images through the file and through the model and compares the
 * probabilities. If they differ by more than the tolerance, {@link #to} throws {@link ParityException} and an existing file
 * of that name is not changed. Objects of this class are immutable: each {@code with…} method returns another one.
 */
public final class OnnxExport {

    private static final double DEFAULT_TOLERANCE = 1e-4;

    private final Path model;
    private final Settings settings;

    /**
     * The options of an export.
     *
     * @param images directory with images to compare on; if empty, the export draws patterns
     * @param int8 labelled images that decide how the backbone is rounded
     */
    record Settings(
            boolean pixels, boolean externalData, double tolerance, Optional<Path> images, Optional<Int8> int8) {}

    /**
     * A backbone in 8-bit integers.
     *
     * @param images directory with one subdirectory per class
     * @param maxLoss percentage points of accuracy that rounding may cost
     * @param target kind of processor that will run the file
     */
    record Int8(Path images, double maxLoss, Int8Target target) {}

    private OnnxExport(Path model, Settings settings) {
        this.model = model;
        this.settings = settings;
    }

    /**
     * An export with the default options: normalised float input, one file, compared on a few drawn patterns with a tolerance
     * of 1e-4.
     *
     * @param model a {@code model.gramian}, such as {@code Run.model()}
     */
    public static OnnxExport of(Path model) {
        return new OnnxExport(model, new Settings(false, false, DEFAULT_TOLERANCE, Optional.empty(), Optional.empty()));
    }

    /** The file takes 8-bit red, green and blue and normalises them itself. */
    public OnnxExport withPixelInput() {
        return with(new Settings(true, settings.externalData, settings.tolerance, settings.images, settings.int8));
    }

    /**
     * The weights go to a second file next to the first, named like it with {@code .data} appended. Such models load faster,
     * and may exceed 2 GB. Keep both files together.
     */
    public OnnxExport withExternalData() {
        return with(new Settings(settings.pixels, true, settings.tolerance, settings.images, settings.int8));
    }

    /**
     * Compares the file with the model on the images in a directory and its subdirectories, instead of drawn patterns.
     *
     * @throws IllegalArgumentException from {@link #to} if the directory contains no images
     */
    public OnnxExport comparedOn(Path images) {
        return with(new Settings(
                settings.pixels, settings.externalData, settings.tolerance, Optional.of(images), settings.int8));
    }

    /**
     * Sets the largest allowed difference of a probability (default: 1e-4).
     *
     * @throws IllegalArgumentException if the tolerance does not lie in (0, 1]
     */
    public OnnxExport withTolerance(double tolerance) {
        if (!(tolerance > 0 && tolerance <= 1)) {
            throw new IllegalArgumentException("the tolerance must lie in (0, 1] but is " + tolerance);
        }
        return with(new Settings(settings.pixels, settings.externalData, tolerance, settings.images, settings.int8));
    }

    /**
     * Rounds the backbone to 8-bit integers for this machine's processor. The export observes the activations of every fourth
     * image and measures the accuracy on the others.
     *
     * @param images directory with one subdirectory per class, named as in the model, and at least eight images
     * @param maxLoss percentage points of accuracy that rounding may cost; if it costs more, no file is written
     * @throws IllegalArgumentException if the loss does not lie in 0..100
     */
    public OnnxExport withInt8(Path images, double maxLoss) {
        return withInt8(images, maxLoss, Int8Target.ofThisMachine());
    }

    /**
     * Rounds the backbone to 8-bit integers for a kind of processor. The export measures the accuracy on this machine. If its
     * processor lacks the target's instructions, sums may saturate and the measured accuracy may be too low.
     *
     * @param images directory with one subdirectory per class, named as in the model, and at least eight images
     * @param maxLoss percentage points of accuracy that rounding may cost; if it costs more, no file is written
     * @param target kind of processor that will run the file
     * @throws IllegalArgumentException if the loss does not lie in 0..100
     */
    public OnnxExport withInt8(Path images, double maxLoss, Int8Target target) {
        if (!(maxLoss >= 0 && maxLoss <= 100)) {
            throw new IllegalArgumentException(
                    "the loss of accuracy must lie in 0..100 percentage points but is " + maxLoss);
        }
        return with(new Settings(
                settings.pixels,
                settings.externalData,
                settings.tolerance,
                settings.images,
                Optional.of(new Int8(images, maxLoss, target))));
    }

    private OnnxExport with(Settings other) {
        return new OnnxExport(model, other);
    }

    /**
     * Writes the file; its directory is created if needed. {@code Predictor.load} reads it.
     *
     * @param file a name that ends with {@code .onnx}
     * @throws ParityException if the file differs too much from the model
     * @throws IllegalArgumentException if the name or the images cannot be used
     */
    public ExportReport to(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new IllegalArgumentException(file + " is a directory; name the file to write, such as model.onnx");
        }
        if (!new OnnxProvider().reads(file)) {
            throw new IllegalArgumentException(
                    file + " must end with .onnx: predict and serve recognise exported models by this ending");
        }
        GraphSession.requireName(file);
        if (settings.externalData() && (Files.isSymbolicLink(file) || AtomicFile.isStream(file))) {
            throw new IllegalArgumentException(
                    file + " is a link, a device or a pipe; name the file itself if the weights lie next to it");
        }
        return new ExportJob(file, settings).run(model);
    }
}
