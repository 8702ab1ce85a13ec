package io.github.gramian.model.explain.internal;

import io.github.gramian.model.explain.internal.Explanation.Region;
import io.github.gramian.model.explain.internal.ViewLayout.View;
import java.util.List;

/**
 * One map over a region of an image, to which branches, scales and views add their own. A value is spread evenly over the
 * rectangle of its position, so sums remain the same whatever the grids are.
 */
final class ContributionMap {

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
                double left = (place.left() - region.left() + place.width() * shown / grid.columns()) / region.width();
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
