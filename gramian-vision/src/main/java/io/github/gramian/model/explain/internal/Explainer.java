package io.github.gramian.model.explain.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.engine.internal.ImageTensors;
import io.github.gramian.eval.Prediction;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.feature.internal.FeatureRequest;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.CodebookConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.model.explain.internal.Explanation.Region;
import io.github.gramian.model.explain.internal.ViewLayout.View;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.Branch;
import io.github.gramian.model.internal.Inference;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.PreparedImage;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Explains predictions of a loaded model: which positions of an image raised the score of a class. The baseline of {@link
 * Contributions} is a grey image: its pixels have the colour that normalisation subtracts. Even its features differ between
 * positions, because convolutions see the border. So they have a covariance, which kernels that centre features need.
 * Contributions of branches, scales and views are added up in one map on the image.
 *
 * <p>Aggregators are copied in double for each explanation, so explanations run on many threads at once. The predictor must
 * remain open.
 */
public final class Explainer {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private final ModelDescription description;
    private final Backbone backbone;
    private final Network network;
    private final FeatureRequest request;
    private List<float[]> blank = List.of();

    private Explainer(ModelDescription description, Inference.Differentiable model) {
        this.description = description;
        this.backbone = model.backbone();
        this.network = model.network();
        this.request = NetworkFeatures.of(description.network());
    }

    /** An explainer for a predictor's model; empty if there is an {@link #obstacle}. */
    public static Optional<Explainer> of(BatchPredictor predictor) {
        return obstacle(predictor).isPresent()
                ? Optional.empty()
                : predictor.differentiable().map(model -> new Explainer(predictor.description(), model));
    }

    /** Why a predictor's model has no maps, and what to do; empty if it has. */
    public static Optional<String> obstacle(BatchPredictor predictor) {
        if (predictor.findsDefects()) {
            return Optional.of(
                    "it was trained on good parts only, so it has no classes; its map shows where a defect is");
        }
        return predictor.differentiable().isEmpty()
                ? Optional.of("its engine computes no gradients; use the model.gramian that it was exported from")
                : obstacle(
                        predictor.description().network(), predictor.classes().size());
    }

    static Optional<String> obstacle(NetworkConfig network, int classes) {
        if (classes < 2) {
            return Optional.of("it has only one class, so every image is of this class; to find images that differ"
                    + " from the training images, use 'gramian predict --unknown 0.05'");
        }
        for (BranchConfig branch : network.branches()) {
            if (branch.aggregator() instanceof CodebookConfig.Vlad) {
                return Optional.of("VLAD assigns a position to a single centre, so scores jump and contributions do"
                        + " not add up; train with the recipe 'fisher', which divides positions among centres");
            }
            if (branch.descriptor().fidelity() == Fidelity.PAPER) {
                return Optional.of("the gradients of 'fidelity: paper' are not exact, so contributions do not add up;"
                        + " train with 'fidelity: exact'");
            }
        }
        return Optional.empty();
    }

    /**
     * The features of an image.
     *
     * @param raw of each branch: [views, C, rows, columns] or [views, C]
     * @param flat the same as branches take them: [views, C, N]
     */
    record Features(List<Tensor> raw, List<Tensor> flat) {

        /** Rows of a branch's grid of positions; 1 if its features have no grid. */
        int rows(int branch) {
            Tensor features = raw.get(branch);
            return features.dim() == 4 ? (int) features.size(2) : 1;
        }
    }

    /** The explanation of the predicted class. */
    public Explanation explain(PreparedImage image) {
        return explain(image, List.of()).get(0);
    }

    /**
     * Explanations of some classes, in their order.
     *
     * @param image not {@linkplain PreparedImage#rejected rejected}
     * @param classes indices; empty for the predicted class
     */
    public List<Explanation> explain(PreparedImage image, List<Integer> classes) {
        ViewLayout layout = new ViewLayout(image);
        try (Scope scope = Scope.open()) {
            Features features = features(image);
            Prediction prediction = prediction(features.flat());
            List<Integer> subjects = classes.isEmpty() ? List.of(prediction.predicted()) : classes;
            List<Explanation> explanations = new ArrayList<>();
            for (int subject : subjects) {
                ContributionMap map = ContributionMap.of(layout.region(), grids(features, layout, subject));
                explanations.add(new Explanation(prediction, subject, map.values(), layout.region(), layout.picture()));
            }
            return explanations;
        }
    }

    Features features(PreparedImage image) {
        List<Preprocessing> scales = image.preprocessing();
        List<Tensor> inputs = IntStream.range(0, scales.size())
                .mapToObj(i -> ImageTensors.of(
                        new InputPixels(List.of(image.scale(i)), scales.get(i).size(), ChannelOrder.LAST)))
                .toList();
        List<Tensor> raw = FeatureMaps.raw(backbone, request, inputs);
        return new Features(
                raw,
                raw.stream()
                        .map(one -> FeatureMaps.flat(one, network.placement()))
                        .toList());
    }

    /** The prediction for an image from its features, as {@link BatchPredictor#read} gives it. */
    Prediction prediction(List<Tensor> flat) {
        Tensor probabilities = network.probabilities(network.describe(flat));
        float[] fused = HostCopy.rows(FeatureMaps.fuseViews(probabilities, probabilities.size(0)))[0];
        return Prediction.of("", description.classes(), fused);
    }

    /** The contributions of each view in each branch. */
    private List<ContributionMap.Grid> grids(Features features, ViewLayout layout, int subject) {
        Tensor direction = DOUBLE.place(direction(subject, layout.of(0).size()));
        List<Branch> branches = Branch.of(network);
        List<float[]> blank = blank();
        List<ContributionMap.Grid> grids = new ArrayList<>();
        long start = 0;
        for (int b = 0; b < branches.size(); b++) {
            try (Branch rest = branches.get(b).fromAggregator(DOUBLE)) {
                Tensor maps =
                        DOUBLE.place(branches.get(b).aggregated(features.flat().get(b)));
                Tensor baseline = DOUBLE.place(torch.tensor(blank.get(b)))
                        .reshape(1, maps.size(1), maps.size(2))
                        .expand_as(maps);
                long length = rest.config().length(Math.toIntExact(maps.size(1)));
                Tensor contributions =
                        Contributions.of(rest.layers(), maps, baseline, direction.narrow(1, start, length));
                start += length;
                int rows = features.rows(b);
                float[][] values = HostCopy.rows(contributions);
                List<View> views = layout.of(scale(b));
                for (int v = 0; v < views.size(); v++) {
                    grids.add(new ContributionMap.Grid(views.get(v), rows, values[v].length / rows, values[v]));
                }
            }
        }
        return grids;
    }

    /** What the aggregator of each branch takes of a grey image: [C, N], row by row. */
    private synchronized List<float[]> blank() {
        if (blank.isEmpty()) {
            List<Tensor> inputs = description.preprocessing().stream()
                    .map(scale -> new long[] {1, 3, scale.size(), scale.size()})
                    .map(shape ->
                            torch.zeros(shape, Placement.cpu(Precision.FLOAT).options()))
                    .toList();
            List<Tensor> raw = FeatureMaps.raw(backbone, request, inputs);
            List<Branch> branches = Branch.of(network);
            blank = IntStream.range(0, raw.size())
                    .mapToObj(b -> branches.get(b).aggregated(FeatureMaps.flat(raw.get(b), network.placement())))
                    .map(HostCopy::floats)
                    .toList();
        }
        return blank;
    }

    /** The classifier's weights of the class, over the number of views, whose scores are averaged: [1, length]. */
    private Tensor direction(int subject, int views) {
        Tensor own = network.classifier().weight().value().narrow(0, subject, 1);
        return own.mul(scalar(1.0 / views));
    }

    /** The branch's place among the network's scales. */
    int scale(int branch) {
        List<FeatureRequest.Scale> scales = request.scales();
        return IntStream.range(0, scales.size())
                .filter(i -> scales.get(i).branches().contains(branch))
                .findFirst()
                .orElseThrow();
    }

    /**
     * One map over a region of an image, to which branches, scales and views add their own. A value is spread evenly over the
     * rectangle of its position, so sums remain the same whatever the grids are.
     */
    static final class ContributionMap {

        private static final int MAX_SIDE = 64;

        private final Region region;
        private final double[][] cells;

        /** Values of the positions of one view: rows × columns, row after row. */
        @SuppressWarnings("ArrayRecordComponent") // handed over, not stored
        record Grid(View view, int rows, int columns, float[] values) {}

        /** A map whose cells are as small as the smallest positions. */
        static ContributionMap of(Region region, List<Grid> grids) {
            double cellWidth = grids.stream()
                    .mapToDouble(grid -> grid.view().place().width() / grid.columns())
                    .min()
                    .orElseThrow();
            double cellHeight = grids.stream()
                    .mapToDouble(grid -> grid.view().place().height() / grid.rows())
                    .min()
                    .orElseThrow();
            ContributionMap map =
                    new ContributionMap(region, side(region.height() / cellHeight), side(region.width() / cellWidth));
            grids.forEach(map::add);
            return map;
        }

        private ContributionMap(Region region, int rows, int columns) {
            this.region = region;
            this.cells = new double[rows][columns];
        }

        private static int side(double cells) {
            return (int) Math.max(1, Math.min(MAX_SIDE, Math.round(cells)));
        }

        private void add(Grid grid) {
            Region place = grid.view().place();
            for (int row = 0; row < grid.rows(); row++) {
                double top = (place.top() - region.top() + place.height() * row / grid.rows()) / region.height();
                double bottom = top + place.height() / grid.rows() / region.height();
                for (int column = 0; column < grid.columns(); column++) {
                    int shown = grid.view().mirrored() ? grid.columns() - 1 - column : column;
                    double left =
                            (place.left() - region.left() + place.width() * shown / grid.columns()) / region.width();
                    double right = left + place.width() / grid.columns() / region.width();
                    spread(grid.values()[row * grid.columns() + column], top, bottom, left, right);
                }
            }
        }

        /** Adds a value to the cells under a rectangle, each in proportion to the part of the rectangle that it holds. */
        private void spread(float value, double top, double bottom, double left, double right) {
            int rows = cells.length;
            int columns = cells[0].length;
            for (int row = first(top, rows); row < rows && row < bottom * rows; row++) {
                double down = overlap(row, rows, top, bottom);
                for (int column = first(left, columns); column < columns && column < right * columns; column++) {
                    cells[row][column] += value * down * overlap(column, columns, left, right);
                }
            }
        }

        private static int first(double from, int count) {
            return Math.max(0, (int) Math.floor(from * count));
        }

        /** The share of an interval that lies in one of the cells. */
        private static double overlap(int cell, int count, double from, double to) {
            double low = Math.max(from, cell / (double) count);
            double high = Math.min(to, (cell + 1) / (double) count);
            return Math.max(0, high - low) / (to - from);
        }

        float[][] values() {
            float[][] values = new float[cells.length][cells[0].length];
            for (int row = 0; row < cells.length; row++) {
                for (int column = 0; column < values[row].length; column++) {
                    values[row][column] = (float) cells[row][column];
                }
            }
            return values;
        }
    }
}
