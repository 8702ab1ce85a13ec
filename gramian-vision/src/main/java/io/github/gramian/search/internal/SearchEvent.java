package io.github.gramian.search.internal;

/** An event of a search. */
public sealed interface SearchEvent {

    record Started(Candidate candidate, int images) implements SearchEvent {}

    /**
     * A trial is over.
     *
     * @param seconds used so far
     */
    record Scored(TrialResult trial, Leaderboard board, double seconds) implements SearchEvent {}

    /** Why the search goes where it goes. */
    record Decided(String sentence) implements SearchEvent {}
}
