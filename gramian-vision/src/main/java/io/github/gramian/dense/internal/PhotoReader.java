package io.github.gramian.dense.internal;

import io.github.gramian.eval.Prediction;
import io.github.gramian.image.codec.RgbImage;
import java.util.List;
import java.util.Optional;

/**
 * The part of a model that looks at whole photographs, on one engine. Safe for use by many threads.
 */
public interface PhotoReader {

    /** How large the photographs are that it reads. */
    WholePhoto view();

    /** Whether it finds defects: it knows good parts only, and has no classes. */
    boolean findsDefects();

    /** Reads a photograph that {@link WholePhoto#resized} has made. */
    PhotoMap read(RgbImage resized);

    /**
     * The answer for a photograph: the class of each cell, or its score.
     *
     * @param width of the photograph that was read, in pixels
     * @param height of the photograph that was read, in pixels
     * @param grid where the cells are
     * @param classes for a model of classes
     * @param scores for a model of good parts
     */
    record PhotoMap(
            int width, int height, Grid grid, Optional<ClassMap.Cells> classes, Optional<Calibration.Scores> scores) {

        /** Where a part has a defect, in shares of the photograph's sides; the largest score first. */
        public List<Prediction.Region> regions() {
            return scores.map(Calibration.Scores::regions).orElse(List.of()).stream()
                    .map(this::shares)
                    .toList();
        }

        private Prediction.Region shares(Calibration.Region region) {
            double left = grid.edge(region.left()) / width;
            double top = grid.edge(region.top()) / height;
            double right = grid.edge(region.left() + region.width()) / width;
            double bottom = grid.edge(region.top() + region.height()) / height;
            return new Prediction.Region(
                    within(left), within(top), within(right) - within(left), within(bottom) - within(top));
        }

        private static double within(double share) {
            return Math.max(0, Math.min(1, share));
        }
    }

    /**
     * Where the cells of a map are, the same in both directions.
     *
     * @param first pixel in the middle of the first cell
     * @param stride pixels from one cell to the next
     */
    record Grid(double first, int stride) {

        /** Where a cell begins, in pixels. */
        double edge(int cell) {
            return first + 0.5 + (cell - 0.5) * stride;
        }

        /** The cell whose middle is nearest to a pixel. */
        public int cell(double pixel, int cells) {
            return (int) Math.max(0, Math.min(cells - 1, Math.round((pixel - first) / stride)));
        }
    }
}
