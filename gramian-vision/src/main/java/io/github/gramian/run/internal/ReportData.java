package io.github.gramian.run.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.dataset.Sample;
import io.github.gramian.eval.Prediction;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.json.internal.Json;
import io.github.gramian.model.Network;
import io.github.gramian.model.internal.Branch;
import io.github.gramian.model.internal.Trace;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * The content of {@code report-data.json}: a few of a network's matrices, and a map of the
 * descriptors. {@link Collector} computes it.
 */
public record ReportData(List<Matrix> matrices, DescriptorMap map) {

    private static final JsonMapper JSON = Json.codec()
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .build();

    /**
     * One matrix of one image.
     *
     * @param image path within the dataset
     * @param truth name of its class
     * @param branch of the network
     * @param name such as K or Y1
     * @param size of the matrix itself
     * @param values of its first rows and columns
     * @param spectrum all eigenvalues, the largest first
     */
    public record Matrix(
            String image,
            String truth,
            String branch,
            String name,
            long size,
            List<List<Float>> values,
            List<Float> spectrum) {

        public Matrix {
            values = values.stream().map(List::copyOf).toList();
            spectrum = List.copyOf(spectrum);
        }
    }

    /**
     * Descriptors in the plane.
     *
     * @param method that found the plane
     * @param explained fractions of the variance along its axes
     */
    public record DescriptorMap(String method, List<Float> explained, List<Point> points) {

        public DescriptorMap {
            explained = List.copyOf(explained);
            points = List.copyOf(points);
        }
    }

    /**
     * One image on the map.
     *
     * @param id path within the dataset
     * @param truth number of its class
     * @param predicted number of the class that the network gave it
     */
    public record Point(String id, int truth, int predicted, float x, float y) {}

    public ReportData {
        matrices = List.copyOf(matrices);
    }

    /** Reads the object of such a file. */
    public static ReportData of(JsonNode tree) throws JsonProcessingException {
        return JSON.treeToValue(tree, ReportData.class);
    }

    /** Writes a file, complete or not at all. */
    void write(Path file) throws IOException {
        SealedJson.write(file, this);
    }

    /** Computes the report data of a network from its test images: some matrices, and a map of all descriptors. */
    public static final class Collector {

        private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
        private static final int IMAGES = 3;
        private static final int SHOWN = 64;
        private static final int MAX_POINTS = 2_000;
        private static final int BATCH = 32;

        private final Network network;
        private final BatchSource source;
        private final List<Sample> samples;
        private final List<String> classes;

        /** @param samples of the source, in its order */
        public Collector(Network network, BatchSource source, List<Sample> samples, List<String> classes) {
            this.network = network;
            this.source = source;
            this.samples = samples;
            this.classes = classes;
        }

        /** Writes everything, complete or not at all. */
        public void write(Path file, List<Prediction> predictions) throws IOException {
            new ReportData(matrices(), map(predictions)).write(file);
        }

        /** K, and Y where there is a transformation, of the first test image of the first classes. */
        private List<Matrix> matrices() {
            int[] chosen = firstOfClasses(samples, IMAGES);
            List<Matrix> found = new ArrayList<>();
            try (Scope scope = Scope.open();
                    BatchSource.Stream batches = source.open(chosen, 1, new Seed(0))) {
                for (int image : chosen) {
                    BatchSource.Batch batch = batches.next();
                    for (int b = 0; b < network.branches().size(); b++) {
                        Branch branch = Branch.of(network).get(b);
                        Trace trace = branch.trace(batch.maps().get(b).narrow(0, 0, 1));
                        trace.matrices()
                                .forEach((name, value) -> found.add(matrix(
                                        samples.get(image), branch.config().key(), name, value)));
                    }
                }
            }
            return found;
        }

        /** Where the first image of each of the first few classes stands, whatever the order of the images. */
        static int[] firstOfClasses(List<Sample> samples, int classes) {
            Set<Integer> seen = new HashSet<>();
            return IntStream.range(0, samples.size())
                    .filter(i -> seen.add(samples.get(i).label()))
                    .limit(classes)
                    .toArray();
        }

        private Matrix matrix(Sample sample, String branch, String name, Tensor batchOfOne) {
            Tensor matrix = batchOfOne.select(0, 0);
            long shown = Math.min(SHOWN, matrix.size(0));
            float[][] values = HostCopy.rows(matrix.narrow(0, 0, shown).narrow(1, 0, shown));
            return new Matrix(
                    sample.path(),
                    classes.get(sample.label()),
                    branch,
                    name,
                    matrix.size(0),
                    Arrays.stream(values).map(Collector::list).toList(),
                    list(HostCopy.floats(
                            torch.linalg_eigvalsh(DOUBLE.place(matrix)).flip(0))));
        }

        private static List<Float> list(float[] values) {
            List<Float> list = new ArrayList<>(values.length);
            for (float number : values) {
                list.add(number);
            }
            return list;
        }

        /** The two directions in which the descriptors vary most. */
        private DescriptorMap map(List<Prediction> predictions) {
            int[] chosen = IntStream.range(0, samples.size())
                    .filter(i -> (long) i * MAX_POINTS / samples.size() != (long) (i - 1) * MAX_POINTS / samples.size()
                            || i == 0
                            || samples.size() <= MAX_POINTS)
                    .toArray();
            try (Scope scope = Scope.open();
                    BatchSource.Stream batches = source.open(chosen, BATCH, new Seed(0))) {
                List<Tensor> parts = new ArrayList<>();
                while (batches.hasNext()) {
                    try (Scope step = Scope.open()) {
                        parts.add(step.promote(FeatureMaps.fuseViews(
                                network.describe(batches.next().maps()), source.views())));
                    }
                }
                Tensor rows = torch.cat(new TensorVector(parts.toArray(Tensor[]::new)), 0);
                return points(chosen, rows, predictions);
            }
        }

        /** Principal coordinates from the Gram matrix of the centred rows: eigenvectors times √eigenvalue. */
        private DescriptorMap points(int[] chosen, Tensor rows, List<Prediction> predictions) {
            Tensor centred = rows.sub(rows.mean(0));
            Tensor gram = DOUBLE.place(centred.mm(centred.t()));
            var eigen = torch.linalg_eigh(gram);
            Tensor values = new Tensor(eigen.get0()).clamp_min(scalar(0.0));
            Tensor vectors = new Tensor(eigen.get1());
            int n = chosen.length;
            int axes = Math.min(2, n);
            double total = Math.max(values.sum().item_double(), 1e-300);
            Tensor largest = values.narrow(0, n - axes, axes).flip(0);
            float[][] coordinates = HostCopy.rows(
                    vectors.narrow(1, n - axes, axes).flip(1).mul(largest.sqrt().unsqueeze(0)));
            List<Point> points = new ArrayList<>();
            for (int i = 0; i < n; i++) {
                Sample sample = samples.get(chosen[i]);
                points.add(new Point(
                        sample.path(),
                        sample.label(),
                        predictions.get(chosen[i]).predicted(),
                        coordinates[i][0],
                        axes > 1 ? coordinates[i][1] : 0));
            }
            return new DescriptorMap(
                    "PCA", list(HostCopy.floats(Objects.requireNonNull(largest.div(scalar(total))))), points);
        }
    }
}
