package io.github.gramian.experiments.grid;

import io.github.gramian.model.config.internal.ConfigJson;
import java.util.Collection;
import java.util.List;

/** Which part of a grid; an empty list stands for everything. */
public record Selection(List<String> methods, List<String> datasets, List<Integer> splits, List<Long> seeds) {

    public Selection {
        methods = List.copyOf(methods);
        datasets = List.copyOf(datasets);
        splits = List.copyOf(splits);
        seeds = List.copyOf(seeds);
    }

    public static Selection everything() {
        return new Selection(List.of(), List.of(), List.of(), List.of());
    }

    boolean takes(String method, String dataset, int split, long seed) {
        return among(methods, method) && among(datasets, dataset) && among(splits, split) && among(seeds, seed);
    }

    private static <T> boolean among(List<T> wanted, T value) {
        return wanted.isEmpty() || wanted.contains(value);
    }

    /** A name that the grid does not have is an error, not an empty selection. */
    void check(Grid grid) {
        check("method", methods, grid.methods().keySet());
        check("dataset", datasets, grid.datasets().keySet());
    }

    private static void check(String what, List<String> wanted, Collection<String> known) {
        for (String name : wanted) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException(
                        "the grid has no " + what + " '" + name + "'; " + ConfigJson.nearest(name, known));
            }
        }
    }
}
