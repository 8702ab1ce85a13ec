package io.github.gramian.onnx.quantisation.internal;

import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.onnx.graph.internal.OnnxFile;
import io.github.gramian.onnx.graph.internal.OnnxGraph;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Attribute;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Dimension;
import io.github.gramian.onnx.graph.internal.OnnxGraph.ElementType;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Node;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Port;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Value;
import io.github.gramian.onnx.parity.internal.Parity;
import io.github.gramian.onnx.parity.internal.SampleImages;
import io.github.gramian.onnx.quantisation.QuantisationReport;
import io.github.gramian.onnx.runtime.Int8Target;
import io.github.gramian.onnx.runtime.internal.GraphSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Rounds the backbone of an exported model to 8 bits, and compares.
 *
 * @param graph of the model
 * @param scales preprocessing of its inputs
 * @param pixels whether it takes pixels
 */
public record Quantisation(OnnxGraph graph, OnnxFile.About about, List<Preprocessing> scales, boolean pixels) {

    public Quantisation {
        scales = List.copyOf(scales);
    }

    /**
     * The graph with a rounded backbone.
     *
     * @param observed images whose activations decided how
     */
    public record Rounded(OnnxGraph graph, Int8Target target, int observed) {}

    /**
     * Rounds the backbone as every fourth of the images needs it; writes a file with probes into a folder.
     *
     * @param target kind of processor that will compute
     */
    public Rounded rounded(Images images, Int8Target target, Path folder) throws IOException {
        Calibration calibration = new Calibration(graph, about, scales, pixels);
        Calibration.Observed found = calibration.observe(images.observed().samples(), folder);
        return new Rounded(Quantiser.of(graph, found.ranges(), target), target, found.images());
    }

    /**
     * Runs both files on the other images.
     *
     * @param rounded what the second file contains, for the report
     */
    public QuantisationReport compared(Path inFloat, Path inInt8, Images images, Rounded rounded) throws IOException {
        Images judged = images.judged();
        SampleImages samples = judged.samples();
        Tally floats = new Tally();
        Tally integers = new Tally();
        try (GraphSession exact = GraphSession.of(inFloat, scales, pixels);
                GraphSession coarse = GraphSession.of(inInt8, scales, pixels)) {
            for (int i = 0; i < samples.count(); i++) {
                List<List<RgbImage>> views = SampleImages.batch(samples, i, i + 1, scales);
                if (!views.get(0).isEmpty()) {
                    List<InputPixels> image = SampleImages.pixels(views, scales, exact.channelOrder());
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
            correct += SampleImages.top(probabilities) == label ? 1 : 0;
        }

        QuantisationReport.Measured measured(Path file) throws IOException {
            return new QuantisationReport.Measured(
                    Parity.bytes(file), (double) correct / images, timed / Math.max(1e-9, nanos / 1e9));
        }
    }

    /** Finds the range of every activation: the graph with a smallest and a largest value of each as outputs, run on images. */
    record Calibration(OnnxGraph graph, OnnxFile.About about, List<Preprocessing> scales, boolean pixels) {

        /**
         * Observed activations.
         *
         * @param ranges of the activations
         * @param images that could be read
         */
        record Observed(Map<Value, Quantiser.Range> ranges, int images) {}

        /** Runs all images; writes a file with probes into a folder. */
        Observed observe(SampleImages images, Path folder) throws IOException {
            Path probed = folder.resolve("probes.onnx");
            OnnxFile.writeExternal(probed, probed(), about);
            Map<Value, Quantiser.Range> ranges = new LinkedHashMap<>();
            Set<String> outputs = new LinkedHashSet<>();
            for (Value activation : Quantiser.Activations.of(graph)) {
                ranges.put(activation, Quantiser.Range.empty());
                outputs.add(probe(activation, "ReduceMin"));
                outputs.add(probe(activation, "ReduceMax"));
            }
            int observed = 0;
            try (GraphSession session = GraphSession.of(probed, scales, pixels)) {
                for (int i = 0; i < images.count(); i++) {
                    List<List<RgbImage>> views = SampleImages.batch(images, i, i + 1, scales);
                    if (!views.get(0).isEmpty()) {
                        widen(
                                ranges,
                                session.run(SampleImages.pixels(views, scales, session.channelOrder()), 1, outputs));
                        observed++;
                    }
                }
            }
            if (observed == 0) {
                throw new IllegalArgumentException(
                        "none of the labelled files whose activations are observed is an image that can be read; give others");
            }
            return new Observed(ranges, observed);
        }

        private static void widen(Map<Value, Quantiser.Range> ranges, Map<String, float[][]> found) {
            ranges.replaceAll((activation, range) -> {
                Quantiser.Range wider = range;
                float[][] least = Objects.requireNonNull(found.get(probe(activation, "ReduceMin")));
                float[][] largest = Objects.requireNonNull(found.get(probe(activation, "ReduceMax")));
                for (int i = 0; i < least.length; i++) {
                    wider = wider.with(least[i][0], largest[i][0]);
                }
                return wider;
            });
        }

        private OnnxGraph probed() {
            List<Node> nodes = new ArrayList<>(graph.nodes());
            List<Port> outputs = new ArrayList<>(graph.outputs());
            for (Value activation : Quantiser.Activations.of(graph)) {
                Value flat = new Value("probe/flat/" + activation.name());
                nodes.add(new Node("Flatten", List.of(activation), flat, List.of(Attribute.of("axis", 1))));
                for (String operator : List.of("ReduceMin", "ReduceMax")) {
                    String name = probe(activation, operator);
                    nodes.add(new Node(
                            operator,
                            List.of(flat),
                            new Value(name),
                            List.of(Attribute.of("axes", List.of(1L)), Attribute.of("keepdims", 1))));
                    outputs.add(new Port(
                            name, ElementType.FLOAT, List.of(new Dimension.Named("batch"), new Dimension.Fixed(1))));
                }
            }
            return new OnnxGraph(graph.name(), nodes, graph.initializers(), graph.inputs(), outputs);
        }

        private static String probe(Value activation, String operator) {
            return "probe/" + operator + "/" + activation.name();
        }
    }

    /**
     * Images with the classes of a model.
     *
     * @param labels of the files: places among the model's classes
     */
    public record Images(List<Path> files, List<Integer> labels) {

        /** Fewer decide nothing. */
        private static final int MIN = 8;

        /** Images whose activations are observed, at most. */
        private static final int MAX_OBSERVED = 64;

        public Images {
            files = List.copyOf(files);
            labels = List.copyOf(labels);
        }

        /** A folder with a folder of images for each class, named like it. */
        public static Images in(Path root, List<String> classes) throws IOException {
            List<Path> files = new ArrayList<>();
            List<Integer> labels = new ArrayList<>();
            List<Path> folders;
            try (Stream<Path> below = Files.list(root)) {
                folders = below.filter(Files::isDirectory).sorted().toList();
            }
            for (Path folder : folders) {
                String name = String.valueOf(folder.getFileName());
                int label = classes.indexOf(name);
                if (label < 0) {
                    throw new IllegalArgumentException(folder
                            + " is not one of the model's classes; name the directories of labelled images like them: "
                            + shown(classes));
                }
                for (Path image : Layouts.images(folder)) {
                    files.add(image);
                    labels.add(label);
                }
            }
            if (files.size() < MIN) {
                throw new IllegalArgumentException(root + " holds " + files.size() + " labelled images; give at least "
                        + MIN + ", in one directory per class");
            }
            return new Images(files, labels);
        }

        private static String shown(List<String> classes) {
            return String.join(", ", classes.subList(0, Math.min(5, classes.size())))
                    + (classes.size() > 5 ? ", …" : "");
        }

        /** Those whose activations are observed: every fourth, or fewer evenly spread. */
        Images observed() {
            return where(true);
        }

        /** The others, on which accuracy is measured. */
        Images judged() {
            return where(false);
        }

        private Images where(boolean observed) {
            int every = Math.max(4, (files.size() + MAX_OBSERVED - 1) / MAX_OBSERVED);
            List<Integer> places = IntStream.range(0, files.size())
                    .filter(i -> (i % every == 0) == observed)
                    .boxed()
                    .toList();
            return new Images(
                    places.stream().map(files::get).toList(),
                    places.stream().map(labels::get).toList());
        }

        SampleImages samples() {
            return SampleImages.ofFiles(files);
        }
    }
}
