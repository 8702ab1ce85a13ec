package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.DatasetException;
import java.io.File;
import java.util.ArrayList;
import java.util.List;

/**
 * Paths that a file names. They must lead to files inside the root; links that the owner of the tree put there
 * may lead elsewhere.
 */
final class RelativePath {

    private static final int LONGEST = 4096;

    /** Elsewhere, a:1.jpg is a name like any other. */
    private static final boolean DRIVES = File.separatorChar == '\\';

    private RelativePath() {}

    /** The path with plain forward slashes, or a refusal that names the place it was read from. */
    static String checked(String text, String place) {
        if (text.isEmpty() || text.length() > LONGEST) {
            throw new DatasetException(place + ": a path must have 1 to " + LONGEST + " characters");
        }
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw new DatasetException(place + ": the path holds control characters; remove them");
        }
        if (text.indexOf('\\') >= 0) {
            throw new DatasetException(place + ": write '" + text + "' with forward slashes");
        }
        List<String> steps = new ArrayList<>();
        for (String step : text.split("/", -1)) {
            if (step.equals("..")) {
                throw new DatasetException(place + ": '" + text + "' leaves the root; paths must lie inside it");
            }
            if (!step.isEmpty() && !step.equals(".")) {
                steps.add(step);
            }
        }
        if (steps.isEmpty()) {
            throw new DatasetException(place + ": '" + text + "' names no file");
        }
        String path = String.join("/", steps);
        if (text.startsWith("/") || text.matches("[A-Za-z]:/.*") || (DRIVES && path.matches("[A-Za-z]:.*"))) {
            throw new DatasetException(place + ": '" + text + "' is absolute; paths must be relative to the root");
        }
        return path;
    }
}
