package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.internal.NamePattern.CharacterSet;
import io.github.gramian.dataset.internal.NamePattern.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a regular expression: characters, {@code .}, sets such as {@code [a-z_]}, {@code \d \w \s} and their opposites,
 * {@code ^ $}, groups {@code (…)} and {@code (?:…)}, alternatives, and the quantifiers {@code * + ?} and {@code {2,5}}, lazy
 * with a {@code ?} after them. References to earlier groups and looking around are not part of it: they need backtracking.
 */
final class NamePatternParser {

    private static final int MAX_LENGTH = 500;
    private static final int MAX_STEPS = 2000;
    private static final int MAX_DEPTH = 50;

    /** Repeated empty parts add no steps, but take time. */
    private static final int MAX_PARTS = 100_000;

    private static final CharacterSet DIGIT = CharacterSet.of('0', '9');
    private static final CharacterSet WORD = CharacterSet.of('0', '9', 'A', 'Z', '_', '_', 'a', 'z');
    private static final CharacterSet SPACE = CharacterSet.of('\t', '\r', ' ', ' ');

    /** A part of a pattern. */
    private sealed interface Part {
        record One(CharacterSet set) implements Part {}

        record Edge(boolean start) implements Part {}

        record Sequence(List<Part> parts) implements Part {}

        record Choice(List<Part> choices) implements Part {}

        record Capture(Part inside) implements Part {}

        /** max: −1 for any number. */
        record Repeated(Part inside, int min, int max, boolean lazy) implements Part {}
    }

    private final String text;
    private final List<@Nullable Step> steps = new ArrayList<>();
    private int at;
    private int depth;
    private int built;
    private boolean captured;

    NamePatternParser(String text) {
        this.text = text;
    }

    NamePattern parse() {
        if (text.length() > MAX_LENGTH) {
            throw new DatasetException("the pattern of the groups has " + text.length() + " characters; at most "
                    + MAX_LENGTH + " are allowed");
        }
        Part whole = choice();
        if (at < text.length()) {
            throw wrong("there is a ) too many");
        }
        if (!captured) {
            throw new DatasetException("the pattern of the groups, " + text
                    + ", has no capture group; put parentheses around the part of the path that names the group, as in"
                    + " (.*)_[0-9]+");
        }
        int end = add(new Step.Matched());
        int start = build(whole, end);
        return new NamePattern(text, List.<Step>copyOf(steps), start);
    }

    private Part choice() {
        List<Part> choices = new ArrayList<>(List.of(sequence()));
        while (take('|')) {
            choices.add(sequence());
        }
        return choices.size() == 1 ? choices.get(0) : new Part.Choice(choices);
    }

    private Part sequence() {
        List<Part> parts = new ArrayList<>();
        while (at < text.length() && text.charAt(at) != '|' && text.charAt(at) != ')') {
            parts.add(quantified(atom()));
        }
        return new Part.Sequence(parts);
    }

    private Part quantified(Part part) {
        Part repeated;
        if (take('*')) {
            repeated = repeated(part, 0, -1);
        } else if (take('+')) {
            repeated = repeated(part, 1, -1);
        } else if (take('?')) {
            repeated = repeated(part, 0, 1);
        } else if (take('{')) {
            int min = number();
            int max = take(',') ? (at < text.length() && text.charAt(at) == '}' ? -1 : number()) : min;
            if (!take('}') || (max >= 0 && max < min)) {
                throw wrong("a quantifier must look like {2} or {2,5}");
            }
            repeated = repeated(part, min, max);
        } else {
            return part;
        }
        if (at < text.length() && "*+?{".indexOf(text.charAt(at)) >= 0) {
            throw wrong("a quantifier stands after a quantifier");
        }
        return repeated;
    }

    private Part repeated(Part part, int min, int max) {
        return new Part.Repeated(part, min, max, take('?'));
    }

    private int number() {
        int from = at;
        while (at < text.length() && Character.digit(text.charAt(at), 10) >= 0 && at - from < 4) {
            at++;
        }
        if (at == from) {
            throw wrong("a quantifier must look like {2} or {2,5}");
        }
        return Integer.parseInt(text.substring(from, at));
    }

    private Part atom() {
        char c = text.charAt(at++);
        return switch (c) {
            case '(' -> group();
            case '[' -> new Part.One(set());
            case '.' -> new Part.One(CharacterSet.of().inverted());
            case '^' -> new Part.Edge(true);
            case '$' -> new Part.Edge(false);
            case '\\' -> new Part.One(escaped());
            case '*', '+', '?', '{' -> throw wrong("a quantifier stands after nothing");
            default -> new Part.One(CharacterSet.of(c, c));
        };
    }

    private Part group() {
        boolean plain = take('?');
        if (plain && !take(':')) {
            throw wrong("of the groups that start with (? only (?: is supported");
        }
        boolean first = !plain && !captured;
        captured |= first;
        if (++depth > MAX_DEPTH) {
            throw wrong("groups are nested more than " + MAX_DEPTH + " deep");
        }
        Part inside = choice();
        depth--;
        if (!take(')')) {
            throw wrong("a ( has no )");
        }
        return first ? new Part.Capture(inside) : inside;
    }

    private CharacterSet escaped() {
        if (at == text.length()) {
            throw wrong("it ends with a \\");
        }
        char c = text.charAt(at++);
        return switch (c) {
            case 'd' -> DIGIT;
            case 'D' -> DIGIT.inverted();
            case 'w' -> WORD;
            case 'W' -> WORD.inverted();
            case 's' -> SPACE;
            case 'S' -> SPACE.inverted();
            default -> {
                if (Character.isLetterOrDigit(c)) {
                    throw wrong("\\" + c + " is not supported");
                }
                yield CharacterSet.of(c, c);
            }
        };
    }

    private CharacterSet set() {
        boolean negated = take('^');
        List<Integer> ranges = new ArrayList<>();
        boolean first = true;
        while (at < text.length() && (first || text.charAt(at) != ']')) {
            first = false;
            CharacterSet one = member();
            int[] bounds = one.positive();
            boolean single = bounds.length == 2 && bounds[0] == bounds[1];
            if (single && at + 1 < text.length() && text.charAt(at) == '-' && text.charAt(at + 1) != ']') {
                at++;
                int[] last = member().positive();
                if (last.length != 2 || last[0] != last[1] || last[0] < bounds[0]) {
                    throw wrong("a range in a set must go from a character to a later one");
                }
                bounds = new int[] {bounds[0], last[0]};
            }
            IntStream.of(bounds).forEach(ranges::add);
        }
        if (!take(']')) {
            throw wrong("a [ has no ]");
        }
        CharacterSet found =
                CharacterSet.of(ranges.stream().mapToInt(Integer::intValue).toArray());
        return negated ? found.inverted() : found;
    }

    private CharacterSet member() {
        char c = text.charAt(at++);
        return c == '\\' ? escaped() : CharacterSet.of(c, c);
    }

    private boolean take(char wanted) {
        boolean there = at < text.length() && text.charAt(at) == wanted;
        at += there ? 1 : 0;
        return there;
    }

    private DatasetException wrong(String why) {
        return new DatasetException(
                "the pattern of the groups, " + text + ", cannot be read at character " + at + ": " + why);
    }

    private int add(@Nullable Step step) {
        if (steps.size() >= MAX_STEPS) {
            throw repeatsTooMuch();
        }
        steps.add(step);
        return steps.size() - 1;
    }

    private DatasetException repeatsTooMuch() {
        return new DatasetException(
                "the pattern of the groups, " + text + ", repeats too much; use * or + instead of large numbers");
    }

    /** Adds the steps of a part that goes on at another step; returns the first of them. */
    private int build(Part part, int next) {
        if (++built > MAX_PARTS) {
            throw repeatsTooMuch();
        }
        if (part instanceof Part.One one) {
            return add(new Step.Letter(one.set(), next));
        }
        if (part instanceof Part.Edge edge) {
            return add(new Step.Edge(edge.start(), next));
        }
        if (part instanceof Part.Capture capture) {
            return add(new Step.Mark(true, build(capture.inside(), add(new Step.Mark(false, next)))));
        }
        if (part instanceof Part.Sequence sequence) {
            int first = next;
            for (int i = sequence.parts().size() - 1; i >= 0; i--) {
                first = build(sequence.parts().get(i), first);
            }
            return first;
        }
        if (part instanceof Part.Choice choice) {
            List<Part> choices = choice.choices();
            int first = build(choices.get(choices.size() - 1), next);
            for (int i = choices.size() - 2; i >= 0; i--) {
                first = add(new Step.Either(build(choices.get(i), next), first));
            }
            return first;
        }
        return build((Part.Repeated) part, next);
    }

    private int build(Part.Repeated part, int next) {
        int first = next;
        if (part.max() < 0) {
            first = add(null); // its own place is needed to come back to
            steps.set(first, either(build(part.inside(), first), next, part.lazy()));
        }
        for (int i = part.min(); i < part.max(); i++) {
            first = add(either(build(part.inside(), first), next, part.lazy()));
        }
        for (int i = 0; i < part.min(); i++) {
            first = build(part.inside(), first);
        }
        return first;
    }

    private static Step either(int inside, int after, boolean lazy) {
        return lazy ? new Step.Either(after, inside) : new Step.Either(inside, after);
    }
}
