package io.github.gramian.onnx.quantisation.internal;

import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.onnx.graph.internal.Graph;
import io.github.gramian.onnx.graph.internal.OnnxFile;
import io.github.gramian.onnx.parity.internal.Parity;
import io.github.gramian.onnx.parity.internal.SampleImages;
import io.github.gramian.onnx.parity.internal.Views;
import io.github.gramian.onnx.quantisation.QuantisationReport;
import io.github.gramian.onnx.runtime.Int8Target;
import io.github.gramian.onnx.runtime.internal.GraphSession;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Rounds the backbone of an exported model to 8 bits, and compares.
 *
 * @param graph of the model
 * @param scales preprocessing of its inputs
 * @param pixels whether it takes pixels
 */
public record Quantisation(Graph graph, OnnxFile.About about, List<Preprocessing> scales, boolean pixels) {

    public Quantisation {
        scales = List.copyOf(scales);
    }

    /** Labelled images: found and checked before anything is computed. */
    public static final class Images {

        private final LabelledImages all;

        private Images(LabelledImages all) {
            this.all = all;
        }

        /** A folder with a folder of images for each of the model's classes. */
        public static Images in(Path root, List<String> classes) throws IOException {
            return new Images(LabelledImages.in(root, classes));
        }
    }

    /**
     * The graph with a rounded backbone.
     *
     * @param observed images whose activations decided how
     */
    public record Rounded(Graph graph, Int8Target target, int observed) {}

    /**
     * Rounds the backbone as every fourth of the images needs it; writes a file with probes into a folder.
     *
     * @param target kind of processor that will compute
     */
    public Rounded rounded(Images images, Int8Target target, Path folder) throws IOException {
        Calibration calibration = new Calibration(graph, about, scales, pixels);
        Calibration.Observed found = calibration.observe(images.all.observed().samples(), folder);
        return new Rounded(Quantiser.of(graph, found.ranges(), target), target, found.images());
    }

    /**
     * Runs both files on the other images.
     *
     * @param rounded what the second file contains, for the report
     */
    public QuantisationReport compared(Path inFloat, Path inInt8, Images images, Rounded rounded) throws IOException {
        LabelledImages judged = images.all.judged();
        SampleImages samples = judged.samples();
        Tally floats = new Tally();
        Tally integers = new Tally();
        try (GraphSession exact = GraphSession.of(inFloat, scales, pixels);
                GraphSession coarse = GraphSession.of(inInt8, scales, pixels)) {
            for (int i = 0; i < samples.count(); i++) {
                List<List<RgbImage>> views = Views.batch(samples, i, i + 1, scales);
                if (!views.get(0).isEmpty()) {
                    List<InputPixels> image = Views.pixels(views, scales, exact.channelOrder());
                    floats.add(exact, image, judged.labels().get(i));
                    integers.add(coarse, image, judged.labels().get(i));
                }
            }
        }
        if (floats.images == 0) {
            throw new IllegalArgumentException("none of the labelled files is an image that can be read; give others");
        }
        return new QuantisationReport(
                rounded.target(),
                floats.images,
                rounded.observed(),
                floats.measured(inFloat),
                integers.measured(inInt8));
    }

    /** Counts of the predictions of one file so far. */
    private static final class Tally {
        private int images;
        private int correct;
        private long nanos;
        private int timed;

        void add(GraphSession session, List<InputPixels> image, int label) {
            int views = Math.toIntExact(image.get(0).rows());
            long start = System.nanoTime();
            float[] probabilities = session.probabilities(image, views)[0];
            if (images > 0) { // the first run of a session prepares it
                nanos += System.nanoTime() - start;
                timed++;
            }
            images++;
            correct += Views.top(probabilities) == label ? 1 : 0;
        }

        QuantisationReport.Measured measured(Path file) throws IOException {
            return new QuantisationReport.Measured(
                    Parity.bytes(file), (double) correct / images, timed / Math.max(1e-9, nanos / 1e9));
        }
    }
}
