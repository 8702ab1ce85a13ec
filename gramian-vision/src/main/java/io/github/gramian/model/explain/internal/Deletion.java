package io.github.gramian.model.explain.internal;

import io.github.gramian.model.explain.internal.Explanation.Region;
import io.github.gramian.model.explain.internal.ViewLayout.View;
import io.github.gramian.model.internal.PreparedImage;
import io.github.gramian.tensor.Scope;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;

/**
 * Measures a map by deletion: positions of the feature maps are replaced by the image's mean position, and the probability of
 * the class is computed again. If the map is right, deleting what it marks costs more than deleting at random.
 */
public final class Deletion {

    private Deletion() {}

    /**
     * The probability of a class after each of some deletions.
     *
     * @param deletions cells of the map that are deleted, [rows][columns] as in {@link Explanation#contributions}
     */
    public static List<Double> probabilities(
            Explainer explainer, PreparedImage image, int subject, List<boolean[][]> deletions) {
        ViewLayout layout = new ViewLayout(image);
        List<Double> probabilities = new ArrayList<>();
        try (Scope scope = Scope.open()) {
            Explainer.Features features = explainer.features(image);
            for (boolean[][] deleted : deletions) {
                try (Scope one = Scope.open()) {
                    List<Tensor> rest = new ArrayList<>();
                    for (int b = 0; b < features.raw().size(); b++) {
                        rest.add(without(features, b, layout.of(explainer.scale(b)), layout.region(), deleted));
                    }
                    probabilities.add((double) explainer.prediction(rest).probability(subject));
                }
            }
        }
        return probabilities;
    }

    /** The features of a branch in which deleted positions have the mean over all positions. */
    private static Tensor without(
            Explainer.Features features, int branch, List<View> views, Region region, boolean[][] deleted) {
        Tensor maps = features.flat().get(branch);
        Tensor mean = maps.mean(new long[] {2}, false, new ScalarTypeOptional());
        Tensor rest = maps.clone();
        int rows = features.rows(branch);
        int columns = (int) maps.size(2) / rows;
        for (int v = 0; v < views.size(); v++) {
            for (int n = 0; n < rows * columns; n++) {
                int row = n / columns;
                int column = n % columns;
                if (isDeleted(views.get(v), region, (row + 0.5) / rows, (column + 0.5) / columns, deleted)) {
                    rest.select(0, v).select(1, n).copy_(mean.select(0, v));
                }
            }
        }
        return rest;
    }

    /** Whether a place in a view, in fractions of its height and width, lies in a deleted cell. */
    private static boolean isDeleted(View view, Region region, double down, double across, boolean[][] deleted) {
        double shown = view.mirrored() ? 1 - across : across;
        double y = (view.place().top() + down * view.place().height() - region.top()) / region.height();
        double x = (view.place().left() + shown * view.place().width() - region.left()) / region.width();
        int row = (int) Math.min(deleted.length - 1, y * deleted.length);
        int column = (int) Math.min(deleted[0].length - 1, x * deleted[0].length);
        return deleted[row][column];
    }
}
