package io.github.gramian.search.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/**
 * Successive halving, input by input, the cheapest first. All heads are tried after the first input on few images, the better
 * half of them on more, until all images are used. Each more expensive input is tried with the best third of the heads, if there is
 * something left to win; it gets more images only while it may beat what is known (paired, within two standard errors).
 *
 * <p>Decisions depend on results alone, except for whether a trial fits into the time that is left: then there must be
 * time to train the candidate as well. The journal keeps these answers.
 */
final class Halving {

    private static final int SHARE_OF_HEADS = 3;
    private static final int MIN_HEADS = 3;
    private static final double CHANCE = 2;

    private final Map<String, Candidate> candidates = new LinkedHashMap<>();
    private final SearchImages images;
    private final List<List<String>> groups;
    private final Journal journal;
    private final SearchConfig.Limit limit;
    private final DoubleSupplier seconds;
    private final Consumer<SearchEvent> listener;

    /** In the order of this search, not of the journal: decisions that are repeated must not see what came later. */
    private final List<TrialResult> seen = new ArrayList<>();

    /**
     * The surroundings of a search.
     *
     * @param seconds time that the search has used, that of earlier processes included
     */
    record Setting(Journal journal, SearchConfig.Limit limit, DoubleSupplier seconds, Consumer<SearchEvent> listener) {}

    Halving(List<Candidate> candidates, SearchImages images, Setting setting) {
        candidates.forEach(candidate -> this.candidates.put(candidate.name(), candidate));
        this.images = images;
        this.groups = images.rungs().stream()
                .map(rung -> rung.stream()
                        .map(image -> images.groups().getOrDefault(image.id(), image.id()))
                        .toList())
                .toList();
        this.journal = setting.journal();
        this.limit = setting.limit();
        this.seconds = setting.seconds();
        this.listener = setting.listener();
    }

    /** There is no time left for the trial under way. */
    static final class OutOfTime extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** The leaderboard of all trials so far. */
    Leaderboard board() {
        return Leaderboard.of(seen, candidates, groups);
    }

    /** The results of an earlier search. */
    Leaderboard journalled() {
        return Leaderboard.of(journal.trials(), candidates, groups);
    }

    /** Runs to the end of the space or of the limit. */
    void run(Trials scorer) throws IOException {
        int start = start(scorer);
        warn(scorer);
        boolean first = true;
        for (String input :
                candidates.values().stream().map(Candidate::input).distinct().toList()) {
            List<Candidate> chosen = candidates.values().stream()
                    .filter(candidate -> candidate.input().equals(input))
                    .toList();
            if (!first) {
                if (!somethingToWin()) {
                    decided("the best candidate makes so few mistakes that " + input
                            + " and more expensive inputs cannot improve on it by more than chance");
                    return;
                }
                chosen = withBestHeads(chosen);
            }
            climb(input, chosen, start, first, scorer);
            first = false;
            if (over()) {
                decided(seen.size() + " trials are done");
                return;
            }
        }
    }

    /** Up the rungs with one input. */
    private void climb(String input, List<Candidate> chosen, int start, boolean first, Trials scorer)
            throws IOException {
        List<Candidate> climbing = chosen;
        List<TrialResult> below = List.of();
        for (int rung = start; rung <= images.last() && !climbing.isEmpty() && !over(); rung++) {
            List<TrialResult> scored = new ArrayList<>();
            for (int i = 0; i < climbing.size(); i++) {
                // Candidates that are worse than the best are compared with it, so without the best they are not
                // scored.
                if (below.isEmpty() || !scored.isEmpty() || !isBehind(below.get(i), below.get(0))) {
                    score(climbing.get(i), rung, scorer).ifPresent(scored::add);
                }
            }
            scored.sort(Comparator.comparingDouble((TrialResult trial) -> -trial.accuracy())
                    .thenComparingInt(TrialResult::dimensions)
                    .thenComparing(TrialResult::candidate));
            if (!first && rung < images.last() && !scored.isEmpty() && !mayWin(input, scored.get(0))) {
                decided(input + " cannot beat the best candidate so far; it gets no more images");
                return;
            }
            below = scored.subList(0, (scored.size() + 1) / 2);
            climbing = below.stream()
                    .map(trial -> Objects.requireNonNull(candidates.get(trial.candidate())))
                    .toList();
        }
    }

    private boolean isBehind(TrialResult one, TrialResult best) {
        return Leaderboard.Estimate.difference(best, one, groups.get(best.rung()))
                .exceeds(1);
    }

    private Optional<TrialResult> score(Candidate candidate, int rung, Trials scorer) throws IOException {
        Optional<TrialResult> known = journal.trial(candidate.name(), rung);
        if (known.isPresent()) {
            seen.add(known.get());
            return known;
        }
        String question = candidate.name() + " " + rung + " " + limit;
        if (over() || journal.failures().containsKey(candidate.name()) || journal.isRefused(question)) {
            return Optional.empty();
        }
        if (!fits(candidate, rung, scorer)) {
            refuse(question, candidate, rung);
            return Optional.empty();
        }
        listener.accept(
                new SearchEvent.Started(candidate, images.rungs().get(rung).size()));
        try {
            TrialResult result = scorer.run(candidate, rung, alive(candidate, rung, scorer));
            journal.keep(result, seconds.getAsDouble());
            seen.add(result);
            listener.accept(new SearchEvent.Scored(result, board(), seconds.getAsDouble()));
            return Optional.of(result);
        } catch (OutOfTime e) {
            refuse(question, candidate, rung);
            return Optional.empty();
        } catch (IllegalArgumentException | IllegalStateException e) {
            journal.keepFailure(candidate.name(), String.valueOf(e.getMessage()), seconds.getAsDouble());
            decided(candidate.name() + " failed: " + e.getMessage());
            return Optional.empty();
        } catch (UncheckedIOException failure) {
            throw failure.getCause();
        }
    }

    private void refuse(String question, Candidate candidate, int rung) throws IOException {
        journal.keepRefusal(question, seconds.getAsDouble());
        decided(String.format(
                Locale.ROOT,
                "no time for %s on %,d images",
                candidate.name(),
                images.rungs().get(rung).size()));
    }

    private boolean over() {
        return limit instanceof SearchConfig.Limit.Trials few && seen.size() >= few.trials();
    }

    /** The first trial always fits: a search without a result helps nobody. */
    private boolean fits(Candidate candidate, int rung, Trials scorer) {
        if (!(limit instanceof SearchConfig.Limit.Minutes time) || seen.isEmpty()) {
            return true;
        }
        return seconds.getAsDouble() + scorer.seconds(candidate, rung) + reserve(candidate, rung, time, scorer)
                <= time.seconds();
    }

    /**
     * Time that must be left after a trial: for training this candidate, or the best so far. Where training even the
     * cheapest takes more than half of the time, what is beyond that comes on top of the limit.
     */
    private double reserve(Candidate candidate, int rung, SearchConfig.Limit.Minutes time, Trials scorer) {
        double beyond = cheapestTraining(scorer) - time.seconds() / 2;
        double best = board().finalists().stream()
                .limit(1)
                .mapToDouble(row -> scorer.trainingSeconds(row.candidate(), candidate, rung))
                .sum();
        return Math.max(scorer.trainingSeconds(candidate, candidate, rung), best) - Math.max(0, beyond);
    }

    private double cheapestTraining(Trials scorer) {
        return scorer.trainingSeconds(candidates.values().iterator().next());
    }

    /** Ends a trial for which there is no time left. */
    private Runnable alive(Candidate candidate, int rung, Trials scorer) {
        if (!(limit instanceof SearchConfig.Limit.Minutes time) || seen.isEmpty()) {
            return () -> {};
        }
        double latest = time.seconds() - reserve(candidate, rung, time, scorer);
        return () -> {
            if (seconds.getAsDouble() > latest) {
                throw new OutOfTime();
            }
        };
    }

    /** Fewer images than usual where the features of the first rung would take a third of the time. */
    private int start(Trials scorer) throws IOException {
        if (!(limit instanceof SearchConfig.Limit.Minutes time) || images.first() == 0) {
            return images.first();
        }
        if (journal.start().isPresent()) {
            return Math.min(journal.start().get(), images.last());
        }
        Candidate cheapest = candidates.values().iterator().next();
        int start = images.first();
        while (start > 0 && scorer.seconds(cheapest, start) > time.seconds() / 3) {
            start--;
        }
        journal.keepStart(start, seconds.getAsDouble());
        return start;
    }

    private void warn(Trials scorer) {
        if (limit instanceof SearchConfig.Limit.Minutes time) {
            double training = cheapestTraining(scorer);
            if (training > time.seconds() / 2) {
                decided(String.format(
                        Locale.ROOT,
                        "training even the cheapest candidate will take about %.1f of the %.1f minutes, with the features of"
                                + " all images; the part beyond half of the time limit is added to the limit",
                        training / 60,
                        time.minutes()));
            }
        }
    }

    /** Whether the best makes more mistakes than chance would explain. */
    private boolean somethingToWin() {
        return board().finalists().stream()
                .findFirst()
                .map(best ->
                        1 - best.accuracy().mean() > CHANCE * best.accuracy().error())
                .orElse(true);
    }

    /** Whether the best of an input may be better than the best of all others on the same images. */
    private boolean mayWin(String input, TrialResult best) {
        return seen.stream()
                .filter(trial -> trial.rung() == best.rung())
                .filter(trial -> !trial.candidate().endsWith("@" + input))
                .max(Comparator.comparingDouble(TrialResult::accuracy))
                .map(rival -> Leaderboard.Estimate.difference(best, rival, groups.get(best.rung())))
                .map(ahead -> ahead.mean() + CHANCE * ahead.error() >= 0)
                .orElse(true);
    }

    /** The candidates whose heads did best so far, after any input: those that climbed highest, the best head first. */
    private List<Candidate> withBestHeads(List<Candidate> all) {
        List<String> heads = board().rows().stream()
                .sorted(Comparator.comparingInt(row -> -row.trial().rung()))
                .map(row -> row.candidate().head())
                .distinct()
                .limit(Math.max(MIN_HEADS, all.size() / SHARE_OF_HEADS))
                .toList();
        return heads.stream()
                .flatMap(head ->
                        all.stream().filter(candidate -> candidate.head().equals(head)))
                .toList();
    }

    private void decided(String sentence) {
        listener.accept(new SearchEvent.Decided(sentence));
    }

    /** Scores candidates, and knows about how long that takes. */
    interface Trials {

        /** Seconds that a trial will take, features that are missing included. */
        double seconds(Candidate candidate, int rung);

        /**
         * Seconds that training a candidate will take: features that are missing, those of the test images among them, and the
         * training itself.
         */
        double trainingSeconds(Candidate candidate);

        /** Seconds that training a candidate will take after a trial of another or the same, which leaves features for both. */
        double trainingSeconds(Candidate candidate, Candidate tried, int rung);

        /**
         * Scores a candidate on a rung.
         *
         * @param alive called now and then; throws what ends the trial
         */
        TrialResult run(Candidate candidate, int rung, Runnable alive) throws IOException;
    }
}
