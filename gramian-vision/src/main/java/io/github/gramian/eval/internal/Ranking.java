package io.github.gramian.eval.internal;

import io.github.gramian.InvalidInputException;
import io.github.gramian.eval.ConfidenceInterval;
import io.github.gramian.eval.EvaluationProtocol;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs by accuracy, best first. Scores under incompatible protocols are not comparable; they are refused, or, if the caller
 * allows them, ranked with the names of the differing fields in {@code unlikeFields}, to be shown with the table.
 *
 * @param entries best first
 * @param unlikeFields fields of the evaluation protocol in which the runs differ, in its order; empty if all are compatible
 */
public record Ranking(List<Entry> entries, List<String> unlikeFields) {

    /**
     * A line of the ranking.
     *
     * @param rank from 1; runs with the same accuracy share it
     * @param differenceToBest accuracy minus the best accuracy, 0 or less
     * @param againstBest how this run compares with the best one on the same images; null for the best run itself and
     *     where predictions for the same images are missing
     */
    public record Entry(
            int rank,
            RunSummary run,
            double differenceToBest,
            @Nullable OnSameImages againstBest) {}

    /**
     * Two models on the same test images. Both figures cover the choice of test images only: what another seed or another
     * training set would change is not included.
     *
     * @param difference accuracy minus the best accuracy, with its paired bootstrap interval over images
     * @param test the exact test of the best run (its first model) against this one; its p is that of one comparison, not
     *     corrected for the number of lines
     */
    public record OnSameImages(ImageBootstrap difference, McNemar test) {

        private static OnSameImages of(Map<String, Boolean> best, Map<String, Boolean> other) {
            List<Boolean> first = new ArrayList<>();
            List<Boolean> second = new ArrayList<>();
            best.forEach((image, correct) -> {
                first.add(correct);
                second.add(other.getOrDefault(image, false));
            });
            return new OnSameImages(
                    ImageBootstrap.of(List.of(ImageValues.difference(List.of(first), List.of(second)))),
                    McNemar.between(best, other));
        }
    }

    public Ranking {
        entries = List.copyOf(entries);
        unlikeFields = List.copyOf(unlikeFields);
    }

    /**
     * Ranks runs under one protocol.
     *
     * @throws IncompatibleProtocolsException where two of them differ in more than seed and machine
     */
    public static Ranking of(List<RunSummary> runs) {
        for (RunSummary run : runs) {
            List<EvaluationProtocol.Difference> differences =
                    runs.get(0).protocol().differences(run.protocol());
            if (!differences.isEmpty()) {
                throw new IncompatibleProtocolsException(runs.get(0).name(), run.name(), differences);
            }
        }
        return allowingUnlike(runs);
    }

    /** Ranks runs under any protocols, and lists the fields in which these differ. */
    public static Ranking allowingUnlike(List<RunSummary> runs) {
        if (runs.isEmpty()) {
            throw new IllegalArgumentException("there are no runs to rank; name at least one");
        }
        Set<String> names = new HashSet<>();
        Set<String> differing = new HashSet<>();
        for (RunSummary run : runs) {
            if (!names.add(run.name())) {
                throw new IllegalArgumentException(run.name() + " is given twice; give each run once");
            }
            runs.get(0).protocol().differences(run.protocol()).forEach(difference -> differing.add(difference.field()));
        }
        // the sort is stable: runs with the same accuracy remain in the caller's order
        List<RunSummary> sorted = new ArrayList<>(runs);
        sorted.sort(Comparator.comparingDouble(RunSummary::accuracy).reversed());
        List<String> differingInOrder = sorted.get(0).protocol().fields().keySet().stream()
                .filter(differing::contains)
                .toList();
        return new Ranking(entries(sorted), differingInOrder);
    }

    private static List<Entry> entries(List<RunSummary> sorted) {
        RunSummary best = sorted.get(0);
        List<Entry> entries = new ArrayList<>();
        for (RunSummary run : sorted) {
            // the first line is the best run itself: nothing before it, and no test
            Entry before = entries.isEmpty() ? null : entries.get(entries.size() - 1);
            int rank = before != null && before.run().accuracy() == run.accuracy() ? before.rank() : entries.size() + 1;
            OnSameImages againstBest = before != null && best.sharesImagesWith(run)
                    ? OnSameImages.of(best.recognised(), run.recognised())
                    : null;
            entries.add(new Entry(rank, run, run.accuracy() - best.accuracy(), againstBest));
        }
        return entries;
    }

    /**
     * The summary of a run for a ranking.
     *
     * @param name of the run, its folder for example
     * @param protocol evaluation protocol of the accuracy
     * @param accuracy on the test images
     * @param interval of the accuracy
     * @param recognised for every test image, by id, whether its prediction is correct; empty where the predictions are missing,
     *     and the run is then ranked without a test against the best
     */
    public record RunSummary(
            String name,
            EvaluationProtocol protocol,
            double accuracy,
            ConfidenceInterval interval,
            Map<String, Boolean> recognised) {

        public RunSummary {
            if (name.isBlank()) {
                throw new IllegalArgumentException("a run needs a name; its directory's will do");
            }
            if (!(accuracy >= 0 && accuracy <= 1)) {
                throw new IllegalArgumentException("the accuracy of " + name + " must lie in 0..1 but is " + accuracy
                        + "; give a fraction, not percent");
            }
            recognised = Collections.unmodifiableMap(new LinkedHashMap<>(recognised));
            checkAgainst(recognised, name, accuracy);
        }

        private static void checkAgainst(Map<String, Boolean> recognised, String name, double accuracy) {
            if (recognised.isEmpty()) {
                return;
            }
            double share =
                    (double) recognised.values().stream().filter(hit -> hit).count() / recognised.size();
            if (Math.abs(share - accuracy) > 1e-6) {
                throw new IllegalArgumentException(
                        "run " + name + " reports an accuracy of " + accuracy + " but its predictions give " + share
                                + "; evaluate it again, so that both are of one evaluation");
            }
        }

        /** Whether both runs evaluated the same images, so that they can be compared image by image. */
        boolean sharesImagesWith(RunSummary other) {
            return !recognised.isEmpty()
                    && protocol.contentHash().equals(other.protocol.contentHash())
                    && recognised.keySet().equals(other.recognised.keySet());
        }
    }

    /** Scores under incompatible protocols were to be put into one ranking; the message names what differs. */
    public static final class IncompatibleProtocolsException extends InvalidInputException {

        private static final long serialVersionUID = 1;

        // transient: the values of a difference are of any type; the message holds them all in words
        private final transient List<EvaluationProtocol.Difference> differences;

        public IncompatibleProtocolsException(
                String first, String second, List<EvaluationProtocol.Difference> differences) {
            super("runs " + first + " and " + second + " were measured under incompatible protocols ("
                    + String.join(
                            "; ", differences.stream().map(Object::toString).toList())
                    + "); evaluate both under one protocol, or allow incompatible ones and read the table with care");
            this.differences = List.copyOf(differences);
        }

        /** The fields of the protocols that differ, with both values. */
        public List<EvaluationProtocol.Difference> differences() {
            return differences;
        }
    }
}
