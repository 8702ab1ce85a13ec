package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.DatasetException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * A regular expression that reads the name of a group from the path of a file: the text of its first capture group.
 *
 * <p>Recipes come from other people, and backtracking can take for ever on a pattern such as {@code (a+)+b}. All alternatives
 * are therefore followed at once (Thompson), with those first that a backtracking matcher would try first. The time is at most
 * the length of the pattern times the length of the path. {@link NamePatternParser} names the syntax.
 */
public final class NamePattern {

    /** One step of a pattern; {@code next} is where matching goes on. */
    sealed interface Step {

        /** A character of a set. */
        record Letter(CharacterSet set, int next) implements Step {}

        /** Two ways on, the first one preferred. */
        record Either(int first, int second) implements Step {}

        /** The start or the end of the capture group. */
        record Mark(boolean start, int next) implements Step {}

        /** The start or the end of the path. */
        record Edge(boolean start, int next) implements Step {}

        /** The pattern has matched. */
        record Matched() implements Step {}
    }

    private final String text;
    private final List<Step> steps;
    private final int start;

    NamePattern(String text, List<Step> steps, int start) {
        this.text = text;
        this.steps = List.copyOf(steps);
        this.start = start;
    }

    /**
     * Reads a pattern.
     *
     * @throws DatasetException if it has no capture group, or a syntax that is not supported
     */
    public static NamePattern of(String text) {
        return new NamePatternParser(text).parse();
    }

    /** One way to match so far, with the places of the capture group; −1 before they are known. */
    private record Way(int step, int from, int to) {}

    /**
     * The text of the capture group at the first place where the pattern fits; empty if it fits nowhere, or if the group has
     * no text.
     */
    public Optional<String> find(String path) {
        List<Way> ways = List.of();
        Way best = null;
        for (int at = 0; at <= path.length(); at++) {
            List<Way> now = new ArrayList<>();
            boolean[] seen = new boolean[steps.size()];
            for (Way way : ways) {
                follow(way, at, path.length(), seen, now);
            }
            if (best == null) {
                follow(new Way(start, -1, -1), at, path.length(), seen, now);
            }
            ways = new ArrayList<>();
            for (Way way : now) {
                Step step = steps.get(way.step());
                if (step instanceof Step.Matched) {
                    best = way;
                    break; // the ways after this one are worse
                }
                if (step instanceof Step.Letter one
                        && at < path.length()
                        && one.set().contains(path.charAt(at))) {
                    ways.add(new Way(one.next(), way.from(), way.to()));
                }
            }
            if (best != null && ways.isEmpty()) {
                break;
            }
        }
        return best == null || best.to() <= best.from() || best.from() < 0
                ? Optional.empty()
                : Optional.of(path.substring(best.from(), best.to()));
    }

    /** Follows the steps that read no character, the preferred ones first, each step once per place. */
    private void follow(Way from, int at, int length, boolean[] seen, List<Way> found) {
        Deque<Way> open = new ArrayDeque<>();
        open.push(from);
        while (!open.isEmpty()) {
            Way way = open.pop();
            if (seen[way.step()]) {
                continue;
            }
            seen[way.step()] = true;
            Step step = steps.get(way.step());
            if (step instanceof Step.Either either) {
                open.push(new Way(either.second(), way.from(), way.to()));
                open.push(new Way(either.first(), way.from(), way.to()));
            } else if (step instanceof Step.Mark mark) {
                open.push(mark.start() ? new Way(mark.next(), at, -1) : new Way(mark.next(), way.from(), at));
            } else if (step instanceof Step.Edge edge) {
                if (at == (edge.start() ? 0 : length)) {
                    open.push(new Way(edge.next(), way.from(), way.to()));
                }
            } else {
                found.add(way);
            }
        }
    }

    @Override
    public String toString() {
        return text;
    }

    /** Characters by ranges, in pairs of the first and the last character. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record CharacterSet(int[] ranges, boolean negated) {

        static CharacterSet of(int... ranges) {
            return new CharacterSet(ranges, false);
        }

        boolean contains(char c) {
            for (int i = 0; i < ranges.length; i += 2) {
                if (c >= ranges[i] && c <= ranges[i + 1]) {
                    return !negated;
                }
            }
            return negated;
        }

        CharacterSet inverted() {
            return new CharacterSet(ranges, !negated);
        }

        /** The same as ranges that are not negated. */
        int[] positive() {
            if (!negated) {
                return ranges;
            }
            boolean[] members = new boolean[Character.MAX_VALUE + 1];
            int count = 0;
            int[] found = new int[2 * (ranges.length + 1)];
            for (int i = 0; i < ranges.length; i += 2) {
                Arrays.fill(members, ranges[i], ranges[i + 1] + 1, true);
            }
            for (int c = 0; c < members.length; c++) {
                if (!members[c]) {
                    found[count++] = c;
                    while (c + 1 < members.length && !members[c + 1]) {
                        c++;
                    }
                    found[count++] = c;
                }
            }
            return Arrays.copyOf(found, count);
        }
    }
}
