package io.github.gramian.onnx;

import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.TemporaryFolder;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.onnx.export.internal.LoadedModel;
import io.github.gramian.onnx.graph.internal.Graph;
import io.github.gramian.onnx.graph.internal.OnnxFile;
import io.github.gramian.onnx.parity.ParityReport;
import io.github.gramian.onnx.parity.internal.Parity;
import io.github.gramian.onnx.parity.internal.SampleImages;
import io.github.gramian.onnx.quantisation.QuantisationReport;
import io.github.gramian.onnx.quantisation.internal.Quantisation;
import io.github.gramian.onnx.runtime.internal.Contract;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Writes one model: builds the graph, writes it next to the target, compares, and then gives the file its name. */
record ExportJob(Path target, OnnxExport.Settings settings) {

    private static final int DRAWN_IMAGES = 8;

    ExportReport run(Path modelFile) throws IOException {
        SampleImages samples = settings.images()
                .map(SampleImages::below)
                .orElseGet(() -> SampleImages.drawn(DRAWN_IMAGES, new Seed(0)));
        try (StoredModel file = StoredModel.open(modelFile)) {
            file.verify();
            List<String> classes = file.description().classes();
            // Checked before the model is loaded, since that can take long.
            Optional<Quantisation.Images> labelled = settings.int8().isPresent()
                    ? Optional.of(Quantisation.Images.in(settings.int8().get().images(), classes))
                    : Optional.empty();
            try (LoadedModel model = LoadedModel.of(file, Placement.cpu(Precision.FLOAT));
                    TemporaryFolder temporary = TemporaryFolder.nextTo(target)) {
                Graph graph = model.graph(settings.pixels());
                Path inFloat = temporaryFile(temporary.path(), "float");
                write(graph, model.about(), inFloat);
                ParityReport parity = Parity.of(inFloat, settings.pixels(), file, model, samples);
                require(parity);
                if (labelled.isPresent()) {
                    return rounded(model, graph, parity, labelled.get(), temporary.path());
                }
                ReadBack.require(inFloat, target, classes);
                publish(inFloat);
                return new ExportReport(parity, Optional.empty());
            }
        }
    }

    private void require(ParityReport parity) throws ParityException {
        if (!parity.within(settings.tolerance())) {
            String message = String.format(
                    Locale.ROOT,
                    "%s was not written: a probability differs from the model's by %.2g, more than the tolerance of"
                            + " %.2g, and %.4g of the images have the same class; report this with the model, or raise"
                            + " the tolerance",
                    target,
                    parity.toFloat().max(),
                    settings.tolerance(),
                    parity.toFloat().topAgreement());
            throw new ParityException(message, new ExportReport(parity, Optional.empty()));
        }
    }

    /** Publishes the file with a rounded backbone, if it is accurate enough. */
    private ExportReport rounded(
            LoadedModel model, Graph graph, ParityReport parity, Quantisation.Images labelled, Path directory)
            throws IOException {
        Path inFloat = temporaryFile(directory, "float");
        Path inInt8 = temporaryFile(directory, "int8");
        Quantisation quantisation =
                new Quantisation(graph, model.about(), model.description().preprocessing(), settings.pixels());
        OnnxExport.Int8 wanted = settings.int8().orElseThrow();
        Quantisation.Rounded rounded = quantisation.rounded(labelled, wanted.target(), directory.resolve("probes"));
        write(
                rounded.graph(),
                model.about().with(Contract.INT8_TARGET, wanted.target().key()),
                inInt8);
        QuantisationReport int8 = quantisation.compared(inFloat, inInt8, labelled, rounded);
        ReadBack.require(inInt8, target, model.description().classes());
        ExportReport report = new ExportReport(parity, Optional.of(int8));
        double maxLoss = wanted.maxLoss();
        if (!int8.within(maxLoss)) {
            String message = String.format(
                    Locale.ROOT,
                    "%s was not written: int8 costs %.2f percentage points of accuracy, more than the allowed %.2f;"
                            + " export without int8, or allow more",
                    target,
                    int8.loss(),
                    maxLoss);
            throw new ParityException(message, report);
        }
        publish(inInt8);
        return report;
    }

    /** The file before it gets its name. Each has its own directory, since files refer to their data by name alone. */
    private Path temporaryFile(Path directory, String kind) {
        return directory.resolve(kind).resolve(target.getFileName());
    }

    private void write(Graph graph, OnnxFile.About about, Path file) throws IOException {
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
