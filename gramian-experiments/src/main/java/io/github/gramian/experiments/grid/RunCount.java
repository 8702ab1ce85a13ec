package io.github.gramian.experiments.grid;

import java.util.Collection;

/**
 * How many runs a figure is the mean of, and what differs between them.
 *
 * @param runs number of runs
 * @param splits number of different lists of test images among the runs
 */
public record RunCount(int runs, int splits) {

    /** The difference between runs. */
    public enum Varying {
        /** Training and test images; the spread covers both, and the random seed. */
        SPLITS,
        /** The random seed alone. All runs share the test images, so their spread does not cover the choice of images. */
        SEEDS,
        /** There is one run. */
        NOTHING
    }

    public RunCount {
        if (splits < 1 || runs < splits) {
            throw new IllegalArgumentException(
                    "there must be at least one split and one run per split but there are " + splits + " and " + runs);
        }
    }

    static RunCount of(Collection<RunResult> runs) {
        return new RunCount(runs.size(), (int)
                runs.stream().map(run -> run.answers().images()).distinct().count());
    }

    public Varying varying() {
        if (splits > 1) {
            return Varying.SPLITS;
        }
        return runs > 1 ? Varying.SEEDS : Varying.NOTHING;
    }

    /** For a table: {@code 10 splits}, {@code 5 seeds}, {@code 3 splits, 6 runs} or {@code 1 run}. */
    public String describe() {
        return switch (varying()) {
            case SPLITS -> splits == runs ? splits + " splits" : splits + " splits, " + runs + " runs";
            case SEEDS -> runs + " seeds";
            case NOTHING -> "1 run";
        };
    }
}
