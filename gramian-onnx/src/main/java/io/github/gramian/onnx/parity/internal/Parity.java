package io.github.gramian.onnx.parity.internal;

import io.github.gramian.backbone.engine.internal.ImageTensors;
import io.github.gramian.dense.internal.Calibration;
import io.github.gramian.dense.internal.PhotoReader;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.model.internal.Inference;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.onnx.export.internal.LoadedModel;
import io.github.gramian.onnx.graph.internal.OnnxFile;
import io.github.gramian.onnx.graph.internal.OnnxGraph;
import io.github.gramian.onnx.parity.ParityReport;
import io.github.gramian.onnx.runtime.internal.GraphSession;
import io.github.gramian.onnx.runtime.internal.OnnxProvider;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.HostCopy;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.bytedeco.pytorch.Tensor;

/** Compares an exported file with its model, in float and in double: runs images through all of them, a few at a time. */
public final class Parity {

    /** Views at once: small, so that memory does not depend on the number of images. */
    private static final int VIEWS_AT_ONCE = 8;

    private Parity() {}

    /**
     * Compares their probabilities.
     *
     * @param exported what ONNX Runtime loads
     * @param pixels whether it takes pixels
     * @param file of the model, for a second copy in double
     * @param model the model in float
     */
    public static ParityReport of(
            Path exported, boolean pixels, StoredModel file, LoadedModel model, SampleImages images)
            throws IOException {
        List<Preprocessing> scales = model.description().preprocessing();
        Distance toFloat = new Distance();
        Distance toDouble = new Distance();
        try (GraphSession session = GraphSession.of(exported, scales, pixels);
                LoadedModel exact = LoadedModel.of(file, Placement.cpu(Precision.DOUBLE))) {
            LibTorchReference inFloat = new LibTorchReference(model);
            LibTorchReference inDouble = new LibTorchReference(exact);
            int views = scales.get(0).views();
            int atOnce = Math.max(1, VIEWS_AT_ONCE / views);
            for (int first = 0; first < images.count(); first += atOnce) {
                List<List<RgbImage>> batch =
                        SampleImages.batch(images, first, Math.min(images.count(), first + atOnce), scales);
                if (batch.get(0).isEmpty()) {
                    continue;
                }
                float[][] theirs =
                        session.probabilities(SampleImages.pixels(batch, scales, session.channelOrder()), views);
                List<InputPixels> planes = SampleImages.pixels(batch, scales, ChannelOrder.FIRST);
                float[][] ours = inFloat.probabilities(planes, views);
                float[][] precise = inDouble.probabilities(planes, views);
                for (int i = 0; i < ours.length; i++) {
                    toFloat.add(ours[i], theirs[i]);
                    toDouble.add(precise[i], theirs[i]);
                }
            }
        }
        return report(toFloat, toDouble, false, images, exported);
    }

    /**
     * Compares the scores of a model of good parts: those of all cells, and those of whole photographs.
     *
     * @param exported what ONNX Runtime loads
     * @param file of the model, for a second copy in double
     * @param model the model in float
     */
    public static ParityReport ofPhotographs(Path exported, StoredModel file, LoadedModel model, SampleImages images)
            throws IOException {
        Distance toFloat = new Distance();
        Distance toDouble = new Distance();
        try (Inference session =
                        new OnnxProvider().load(exported, Runtime.getRuntime().availableProcessors());
                LoadedModel exact = LoadedModel.of(file, Placement.cpu(Precision.DOUBLE))) {
            PhotoReader theirs = session.photographs().orElseThrow();
            PhotoReader inFloat = model.good().orElseThrow();
            PhotoReader inDouble = exact.good().orElseThrow();
            for (int i = 0; i < images.count(); i++) {
                Optional<RgbImage> photograph = images.photograph(i, theirs.view());
                if (photograph.isPresent()) {
                    Calibration.Scores found = scores(theirs, photograph.get());
                    toFloat.add(scores(inFloat, photograph.get()), found);
                    toDouble.add(scores(inDouble, photograph.get()), found);
                }
            }
        }
        return report(toFloat, toDouble, true, images, exported);
    }

    private static Calibration.Scores scores(PhotoReader reader, RgbImage photograph) {
        return reader.read(photograph).scores().orElseThrow();
    }

    private static ParityReport report(
            Distance toFloat, Distance toDouble, boolean ofScores, SampleImages images, Path exported)
            throws IOException {
        int compared = Math.toIntExact(toFloat.images);
        if (compared == 0) {
            throw new IllegalArgumentException("none of the files is an image that can be read; give others");
        }
        return new ParityReport(
                toFloat.result(),
                toDouble.result(),
                ofScores,
                compared,
                images.count() - compared,
                bytes(exported),
                OnnxGraph.OPSET);
    }

    /** Bytes of an exported file with the data next to it. */
    public static long bytes(Path exported) throws IOException {
        Path data = OnnxFile.dataOf(exported);
        return Files.size(exported) + (Files.exists(data) ? Files.size(data) : 0);
    }

    /** Collects how far probabilities or scores are apart. */
    private static final class Distance {

        private double max;
        private double sum;
        private long values;
        private long images;
        private long agreeing;

        /** Adds one image. A value that is not a number counts as infinitely far. */
        void add(float[] ours, float[] theirs) {
            for (int k = 0; k < ours.length; k++) {
                add(Math.abs((double) ours[k] - theirs[k]));
            }
            images++;
            agreeing += SampleImages.top(ours) == SampleImages.top(theirs) ? 1 : 0;
        }

        /** Adds one photograph. */
        void add(Calibration.Scores ours, Calibration.Scores theirs) {
            if (ours.width() != theirs.width() || ours.height() != theirs.height()) {
                throw new IllegalStateException("the exported file gives " + theirs.width() + " × " + theirs.height()
                        + " scores instead of " + ours.width() + " × " + ours.height());
            }
            for (int cell = 0; cell < ours.map().length; cell++) {
                addRelative(ours.map()[cell], theirs.map()[cell]);
            }
            addRelative(ours.photograph(), theirs.photograph());
            images++;
            agreeing += ours.isDefect() == theirs.isDefect() ? 1 : 0;
        }

        private void addRelative(double ours, double theirs) {
            add(ours == theirs ? 0 : Math.abs(ours - theirs) / Math.abs(ours));
        }

        private void add(double difference) {
            max = Math.max(max, Double.isNaN(difference) ? Double.POSITIVE_INFINITY : difference);
            sum += difference;
            values++;
        }

        ParityReport.Difference result() {
            return new ParityReport.Difference(max, sum / Math.max(1, values), (double) agreeing / Math.max(1, images));
        }
    }

    /** The output of the model itself for images, in the precision that it was loaded with. */
    private record LibTorchReference(LoadedModel model) {

        /** Probabilities, the mean over the views of each image: [images, classes]. */
        float[][] probabilities(List<InputPixels> scales, int views) {
            try (Scope scope = Scope.open()) {
                List<Tensor> images = scales.stream().map(ImageTensors::of).toList();
                List<Tensor> maps =
                        FeatureMaps.raw(
                                        model.backbone(),
                                        NetworkFeatures.of(model.network().config()),
                                        images)
                                .stream()
                                .map(features -> FeatureMaps.flat(
                                        features, model.network().placement()))
                                .toList();
                float[] rows = HostCopy.floats(
                        model.network().probabilities(model.network().describe(maps)));
                return new GraphSession.Rows(scales.get(0).rows(), views)
                        .fused(FloatBuffer.wrap(rows), model.network().classes());
            }
        }
    }
}
