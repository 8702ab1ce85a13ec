package io.github.gramian.onnx;

import io.github.gramian.InvalidInputException;
import io.github.gramian.dense.internal.DenseParts;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.TemporaryFolder;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.onnx.export.internal.LoadedModel;
import io.github.gramian.onnx.graph.internal.OnnxFile;
import io.github.gramian.onnx.graph.internal.OnnxGraph;
import io.github.gramian.onnx.parity.ParityReport;
import io.github.gramian.onnx.parity.internal.Parity;
import io.github.gramian.onnx.parity.internal.SampleImages;
import io.github.gramian.onnx.quantisation.QuantisationReport;
import io.github.gramian.onnx.quantisation.internal.Quantisation;
import io.github.gramian.onnx.runtime.Int8Target;
import io.github.gramian.onnx.runtime.internal.Contract;
import io.github.gramian.onnx.runtime.internal.GraphSession;
import io.github.gramian.onnx.runtime.internal.OnnxProvider;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Writes a trained model as an ONNX file, from pixels to class probabilities and descriptor; a model of good parts from a
 * photograph to its map of scores.
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
     * Sets the largest allowed difference of a probability, or relative one of a score (default: 1e-4).
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
        return new Job(file, settings).run(model);
    }

    /** Writes one model: builds the graph, writes it next to the target, compares, and then gives the file its name. */
    private record Job(Path target, Settings settings) {

        private static final int DRAWN_IMAGES = 8;

        private static final String NO_CLASS_MAP =
                "the map of classes is not exported: the file classifies images, and gramian map needs the model itself";

        ExportReport run(Path modelFile) throws IOException {
            SampleImages samples = settings.images()
                    .map(SampleImages::below)
                    .orElseGet(() -> SampleImages.drawn(DRAWN_IMAGES, new Seed(0)));
            try (StoredModel file = StoredModel.open(modelFile)) {
                file.verify();
                Optional<DenseParts> photographs = file.photographs();
                boolean isOfGoodParts = photographs.flatMap(DenseParts::surface).isPresent();
                if (isOfGoodParts) {
                    requireOptionsForGoodParts();
                }
                List<String> notes =
                        photographs.flatMap(DenseParts::classes).isPresent() ? List.of(NO_CLASS_MAP) : List.of();
                List<String> classes = file.description().classes();
                // Checked before the model is loaded, since that can take long.
                Optional<Quantisation.Images> labelled = settings.int8().isPresent()
                        ? Optional.of(
                                Quantisation.Images.in(settings.int8().get().images(), classes))
                        : Optional.empty();
                try (LoadedModel model = LoadedModel.of(file, Placement.cpu(Precision.FLOAT));
                        TemporaryFolder temporary = TemporaryFolder.nextTo(target)) {
                    OnnxGraph graph = model.graph(settings.pixels());
                    Path inFloat = temporaryFile(temporary.path(), "float");
                    write(graph, model.about(), inFloat);
                    ParityReport parity = isOfGoodParts
                            ? Parity.ofPhotographs(inFloat, file, model, samples)
                            : Parity.of(inFloat, settings.pixels(), file, model, samples);
                    ExportReport report = new ExportReport(parity, Optional.empty(), notes);
                    require(report);
                    if (labelled.isPresent()) {
                        return rounded(model, graph, report, labelled.get(), temporary.path());
                    }
                    requireReadable(inFloat, target, classes);
                    publish(inFloat);
                    return report;
                }
            }
        }

        private void requireOptionsForGoodParts() {
            if (settings.int8().isPresent()) {
                throw new IllegalArgumentException("a model of good parts is not exported in int8, since its rate of"
                        + " false alarms holds for exact scores only; export it in float");
            }
            if (settings.pixels()) {
                throw new IllegalArgumentException(
                        "a model of good parts takes normalised photographs of any size; export it without pixels");
            }
        }

        private void require(ExportReport report) throws ParityException {
            ParityReport parity = report.parity();
            if (!parity.within(settings.tolerance())) {
                String message = Text.format(
                        "%s was not written: a %s differs from the model's by %.2g, more than the tolerance of"
                                + " %.2g, and %.4g of the images have the same class; report this with the model, or raise"
                                + " the tolerance",
                        target,
                        parity.ofScores() ? "score" : "probability",
                        parity.toFloat().max(),
                        settings.tolerance(),
                        parity.toFloat().topAgreement());
                throw new ParityException(message, report);
            }
        }

        /** Publishes the file with a rounded backbone, if it is accurate enough. */
        private ExportReport rounded(
                LoadedModel model, OnnxGraph graph, ExportReport compared, Quantisation.Images labelled, Path directory)
                throws IOException {
            Path inFloat = temporaryFile(directory, "float");
            Path inInt8 = temporaryFile(directory, "int8");
            Quantisation quantisation =
                    new Quantisation(graph, model.about(), model.description().preprocessing(), settings.pixels());
            Int8 wanted = settings.int8().orElseThrow();
            Quantisation.Rounded rounded = quantisation.rounded(labelled, wanted.target(), directory.resolve("probes"));
            write(
                    rounded.graph(),
                    model.about().with(Contract.INT8_TARGET, wanted.target().key()),
                    inInt8);
            QuantisationReport int8 = quantisation.compared(inFloat, inInt8, labelled, rounded);
            requireReadable(inInt8, target, model.description().classes());
            ExportReport report = new ExportReport(compared.parity(), Optional.of(int8), compared.notes());
            double maxLoss = wanted.maxLoss();
            if (!int8.within(maxLoss)) {
                String message = Text.format(
                        "%s was not written: int8 costs %.2f percentage points of accuracy, more than the allowed %.2f;"
                                + " export without int8, or allow more",
                        target, int8.loss(), maxLoss);
                throw new ParityException(message, report);
            }
            publish(inInt8);
            return report;
        }

        /** The file before it gets its name. Each has its own directory, since files refer to their data by name alone. */
        private Path temporaryFile(Path directory, String kind) {
            return directory.resolve(kind).resolve(target.getFileName());
        }

        private void write(OnnxGraph graph, OnnxFile.About about, Path file) throws IOException {
            if (settings.externalData()) {
                OnnxFile.writeExternal(file, graph, about);
            } else {
                OnnxFile.write(file, graph, about);
            }
        }

        /** Gives the files their names. Between the two moves no model exists, so no model ever has the weights of another. */
        private void publish(Path written) throws IOException {
            if (settings.externalData()) {
                Files.deleteIfExists(target);
                AtomicFile.publish(OnnxFile.dataOf(written), OnnxFile.dataOf(target));
            }
            AtomicFile.publish(written, target);
        }
    }

    /**
     * Checks that the file can be loaded and has the classes of the model.
     *
     * @param written the file, under a temporary name
     * @param target the name that it is published under, for the message
     */
    static void requireReadable(Path written, Path target, List<String> classes) throws ModelException {
        try (BatchPredictor exported = BatchPredictor.load(written)) {
            if (!exported.classes().equals(classes)) {
                throw new ModelException("its classes are " + exported.classes() + " instead of " + classes);
            }
        } catch (IOException | InvalidInputException e) {
            throw new ModelException(
                    target + " was not written, because the exported file cannot be read back: " + e.getMessage()
                            + "; report this with the names of the classes",
                    e);
        }
    }
}
