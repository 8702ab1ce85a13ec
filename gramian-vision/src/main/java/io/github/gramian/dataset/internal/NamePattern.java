package io.github.gramian.dataset.internal;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.github.gramian.dataset.DatasetException;
import java.util.Optional;

/**
 * A regular expression that reads the name of a group from the path of a file: the text of its first capture group.
 *
 * <p>Recipes come from other people, and backtracking can take for ever on a pattern such as {@code (a+)+b}. RE2/J takes time
 * in proportion to the length of the path times the size of the compiled pattern, and this class limits both sizes.
 */
public final class NamePattern {

    private static final int MAX_LENGTH = 500;
    private static final int MAX_STEPS = 2000;

    /** RE2/J writes out what is repeated before it can say how much that is, so this many characters are the limit. */
    private static final long MAX_WRITTEN_OUT = 50_000;

    private static final Pattern REPEATS = Pattern.compile("\\{(\\d+)(?:,(\\d*))?\\}");

    private final Pattern pattern;

    private NamePattern(Pattern pattern) {
        this.pattern = pattern;
    }

    /**
     * Reads a pattern.
     *
     * @throws DatasetException if it has no capture group, repeats too much, or has a syntax that is not supported
     */
    public static NamePattern of(String text) {
        if (text.length() > MAX_LENGTH) {
            throw new DatasetException("the pattern of the groups has " + text.length() + " characters; at most "
                    + MAX_LENGTH + " are allowed");
        }
        requireFewRepeats(text);
        Pattern pattern;
        try {
            pattern = Pattern.compile(text);
        } catch (PatternSyntaxException e) {
            throw wrong(text, e.getDescription() + (e.getPattern().isEmpty() ? "" : ": " + e.getPattern()));
        }
        if (pattern.groupCount() == 0) {
            throw wrong(text, "it has no capture group; put ( and ) around the name of the group");
        }
        if (pattern.programSize() > MAX_STEPS) {
            throw tooManyRepeats(text);
        }
        return new NamePattern(pattern);
    }

    /** Counts one inside another multiply, so the product of all of them bounds what they repeat. */
    private static void requireFewRepeats(String text) {
        Matcher repeats = REPEATS.matcher(text);
        long characters = text.length();
        while (repeats.find()) {
            String last = repeats.group(2);
            String count = last == null || last.isEmpty() ? repeats.group(1) : last;
            characters *= count.length() > 5 ? MAX_WRITTEN_OUT : Math.max(1, Long.parseLong(count));
            if (characters > MAX_WRITTEN_OUT) {
                throw tooManyRepeats(text);
            }
        }
    }

    private static DatasetException tooManyRepeats(String text) {
        return wrong(text, "it repeats too much; use * or + instead of large numbers");
    }

    private static DatasetException wrong(String text, String reason) {
        return new DatasetException("the pattern of the groups, " + text + ", cannot be used: " + reason);
    }

    /**
     * The text of the capture group at the first place where the pattern fits; empty if it fits nowhere, or if the group has
     * no text.
     */
    public Optional<String> find(String path) {
        Matcher matcher = pattern.matcher(path);
        return matcher.find()
                ? Optional.ofNullable(matcher.group(1)).filter(name -> !name.isEmpty())
                : Optional.empty();
    }

    @Override
    public String toString() {
        return pattern.pattern();
    }
}
